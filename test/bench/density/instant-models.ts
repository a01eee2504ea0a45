import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import type { SpeechToText } from '../../../media/stt/speech-to-text.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';

const RATE = 24_000;
/** Samples per character at about fifteen characters per second, a usual speed of speech. */
const SAMPLES_PER_CHARACTER = RATE / 15;
const CHUNK = RATE / 5;

/** Fewer loud samples (at 16 kHz) count as a cough without words. */
const FEWEST_LOUD = 4_000;
const LOUD = 0.02;
/** Only one sample in `STRIDE` is inspected, to keep the cost near zero. */
const STRIDE = 16;

/** A recogniser that answers instantly with the same words for any audio of sufficient length. */
export const instantRecogniser: SpeechToText = {
  id: 'instant',
  languages: ['en'],
  async transcribe(samples) {
    let loud = 0;
    for (let i = 0; i < samples.length; i += STRIDE) if (Math.abs(samples[i]!) > LOUD) loud++;
    const text = loud * STRIDE < FEWEST_LOUD ? '' : 'How much are twelve red roses?';
    return { text, providerId: 'instant' };
  },
};

/** An LLM that answers instantly, word by word. */
export const instantModel: LanguageModel = {
  id: 'instant',
  async *generate() {
    for (const word of 'Twelve red roses cost thirty dollars, with a vase.'.split(/(?= )/))
      yield word;
  },
};

/** A voice that answers instantly with a soft tone of the text's usual duration. */
export const instantVoice: TextToSpeech = {
  id: 'instant',
  languages: ['en'],
  sampleRate: RATE,
  async *speak({ text }, { signal }) {
    const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
      textStart: index,
      textEnd: index + word.length,
      startSample: index * SAMPLES_PER_CHARACTER,
      endSample: (index + word.length) * SAMPLES_PER_CHARACTER,
    }));
    const length = text.length * SAMPLES_PER_CHARACTER;
    for (let at = 0; at < length; at += CHUNK) {
      if (signal.aborted) return;
      yield { samples: TONE.slice(0, Math.min(CHUNK, length - at)), words: at === 0 ? words : [] };
    }
  },
  warm: async () => undefined,
  close: async () => undefined,
};

const TONE = Float32Array.from(
  { length: CHUNK },
  (_, i) => 0.1 * Math.sin((2 * Math.PI * 220 * i) / RATE),
);

/** Texts for which a pattern such as `^(a+)+$` practically never terminates. */
const ENDLESS_TEXTS = Array.from({ length: 20 }, () => `${'a'.repeat(50)}!`);
const CALLS_AT_ONCE = 8;

/** Calls all tools of its agent in every step, with texts that can stall regular expressions. */
export const hostileModel: LanguageModel = {
  id: 'hostile',
  async *generate({ tools = [] }) {
    if (tools.length === 0) yield 'Nothing was found.';
    for (let i = 0; i < CALLS_AT_ONCE && tools.length > 0; i++) {
      const { name } = tools[i % tools.length]!;
      const args = JSON.stringify({ texts: ENDLESS_TEXTS });
      yield { type: 'tool-call', id: `call-${i}`, name, arguments: args };
    }
  },
};
