import { afterEach, beforeEach, expect, it } from 'vitest';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import { synthesise } from '../../support/harness/audio/synthesised-speech.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';
import { StartedWorkers } from '../../support/harness/process/started-workers.js';

const TEXT = 'What are your opening hours on Sunday?';
const scheduler = new CpuScheduler(1);
const folder = modelFolder('hibari-heart');
let voice: HibariVoice;
let workers: StartedWorkers;
beforeEach(() => {
  workers = new StartedWorkers();
  voice = new HibariVoice({ id: 'heart', folder, scheduler });
});
afterEach(async () => {
  workers.close();
  await voice.close();
});

/** Real models on a busy machine. */
const SLOW = { timeout: 120_000 };

it('a voice whose worker is lost fails that utterance and speaks the next one', SLOW, async () => {
  const before = await synthesise(voice, TEXT);
  const utterance = { text: TEXT, language: 'en', temperature: 1, topP: 0.8, seed: 1, speed: 1 };
  const { signal } = new AbortController();
  const speech = voice.speak(utterance, { signal, firstPriority: 'first-chunk' });
  await speech.next();
  await workers.terminateLast();
  const rest = async () => {
    for await (const _ of speech);
  };
  await expect(rest()).rejects.toMatchObject({ code: 'WORKER_DIED' });
  expect(await synthesise(voice, TEXT)).toEqual(before);
  expect(scheduler.busy).toBe(0);
});

it('closing a model during its work does not crash the process', SLOW, async () => {
  const speech = await synthesise(voice, TEXT);
  const id = 'moonshine-tiny-en';
  for (let i = 0; i < 8; i++) {
    const recogniser = new MoonshineSpeechToText({ id, folder: modelFolder(id), scheduler });
    await recogniser.warm();
    const transcript = recogniser.transcribe(speech, { priority: 'final-transcript' });
    const closed = expect(transcript).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await new Promise((resolve) => setImmediate(resolve));
    await recogniser.close();
    await closed;
  }
  expect(scheduler.busy).toBe(0);
});
