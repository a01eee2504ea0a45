import { playMp3 } from './mp3-stream.js';
import { showStatus } from './status.js';

const form = document.querySelector('#speak-form');
const voiceList = document.querySelector('#voice');
const stopButton = document.querySelector('#stop');
const player = document.querySelector('#player');

/** The panel for speech. @returns a function that closes it */
export async function createSpeechPanel(api) {
  const controls = new AbortController();
  const { signal } = controls;
  let current = new AbortController();
  await fillVoices(api);

  const stop = () => {
    current.abort();
    player.pause();
    stopButton.disabled = true;
  };
  form.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault();
      stop();
      current = new AbortController();
      stopButton.disabled = false;
      await speak(api, current.signal);
      stopButton.disabled = true;
    },
    { signal },
  );
  stopButton.addEventListener('click', stop, { signal });
  voiceList.addEventListener(
    'change',
    () => showStatus(voiceList.selectedOptions[0].dataset.hint),
    {
      signal,
    },
  );
  return () => {
    stop();
    controls.abort();
  };
}

async function fillVoices(api) {
  const voices = await api.get('/tts/voices?include=builtin');
  const usable = voices.filter(
    ({ status, installed }) => status === 'AVAILABLE' && installed !== false,
  );
  voiceList.replaceChildren(
    ...usable.map(({ voice_id, name, language, engine }) => {
      const option = new Option(`${name} (${language})`, voice_id);
      option.dataset.language = language;
      option.dataset.hint = engine === 'formant' ? hintFor(language, voices) : '';
      return option;
    }),
  );
}

/** A hint for a better voice than the formant engine, if available. */
function hintFor(language, voices) {
  const better = voices.filter(
    (voice) => voice.language === language && voice.engine !== 'formant',
  );
  if (better.some(({ installed }) => installed)) return '';
  const { install } = better[0] ?? {};
  return install
    ? `This is a formant voice. To install a neural voice, run "${install}" and restart the gateway.`
    : '';
}

async function speak(api, signal) {
  const requestedAt = performance.now();
  showStatus('Asking…');
  try {
    const response = await api.request('/tts/speech/stream', {
      method: 'POST',
      signal,
      body: {
        text: form.elements.text.value,
        voice_id: voiceList.value || undefined,
        language: voiceList.selectedOptions[0]?.dataset.language,
        audio_format: 'mp3',
      },
    });
    await playMp3(response, player, () =>
      showStatus(`First audio after ${Math.round(performance.now() - requestedAt)} ms.`),
    );
  } catch (error) {
    if (!signal.aborted) showStatus(error.message, 'fault');
    else showStatus('Stopped.');
  }
}
