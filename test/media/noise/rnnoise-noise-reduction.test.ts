import { afterAll, describe, expect, it } from 'vitest';
import { concat } from '../../../media/audio/pcm.js';
import { NoiseDetector } from '../../../media/noise/noise-detector.js';
import { RnnoiseNoiseReduction } from '../../../media/noise/rnnoise-noise-reduction.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import { noiseBelow, pinkNoise, whiteNoise } from '../../support/harness/audio/noise.js';
import { SpeechSynthesiser } from '../../support/harness/audio/synthesised-speech.js';
import { wordErrors } from '../../support/harness/audio/word-errors.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const TEXTS = [
  'What are your opening hours on Sunday?',
  'Can you tell me how much twelve red roses cost?',
  'My order has not arrived yet and I want my money back.',
];
const SECOND = 16_000;
const FRAME = 320;

const scheduler = new CpuScheduler(1);
const speaker = new SpeechSynthesiser(scheduler);
const recogniser = new MoonshineSpeechToText({
  id: 'moonshine-tiny-en',
  folder: modelFolder('moonshine-tiny-en'),
  scheduler,
});
const reduction = new RnnoiseNoiseReduction();

afterAll(async () => {
  await Promise.all([speaker, recogniser, reduction].map((part) => part.close()));
});

interface Passed {
  readonly out: Float32Array<ArrayBuffer>;
  readonly faults: readonly unknown[];
}

/** Sends audio through a stream in frames of 20 ms, as a call does, and waits for all output. */
async function pass(
  model: RnnoiseNoiseReduction,
  audio: Float32Array,
  isNoisy: (frame: Float32Array, at: number) => boolean,
): Promise<Passed> {
  const parts: Float32Array[] = [];
  const faults: unknown[] = [];
  let count = 0;
  const stream = model.open({
    onSamples: (samples) => {
      parts.push(samples.slice());
      count += samples.length;
    },
    onFault: (error) => faults.push(error),
  });
  for (let at = 0; at < audio.length; at += FRAME) {
    const frame = audio.subarray(at, at + FRAME);
    stream.push(frame, isNoisy(frame, at));
  }
  // Pending output is emitted when the stream is idle.
  stream.push(new Float32Array(0), false);
  await expect.poll(() => count, { timeout: 30_000, interval: 5 }).toBe(audio.length);
  stream.close();
  return { out: concat(Float32Array, parts), faults };
}

/** Speech over noise, with 2 s of noise before the first word, processed as in a call. */
async function over(speech: Float32Array, noise: Float32Array) {
  const noisy = Float32Array.from(noise, (sample, i) => sample + (speech[i - 2 * SECOND] ?? 0));
  const stream = new NoiseDetector();
  const { out } = await pass(reduction, noisy, (frame) => stream.push(frame));
  return { before: noisy.subarray(2 * SECOND), after: out.subarray(2 * SECOND) };
}

function ratioDb(speech: Float32Array, output: Float32Array): number {
  let [signal, noise] = [0, 0];
  for (let i = 0; i < speech.length; i++) {
    signal += speech[i]! ** 2;
    noise += (output[i]! - speech[i]!) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

function isSame(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((sample, i) => sample === b[i]);
}

async function errorsIn(text: string, audio: Float32Array): Promise<number> {
  const { text: found } = await recogniser.transcribe(audio, { priority: 'turn' });
  return wordErrors(text, found).errors;
}

/** Real models on a busy machine. */
const SLOW = { timeout: 120_000 };

describe('noise reduction', SLOW, () => {
  it('extracts speech from noise and costs no words in recognition', async () => {
    const total = { noisy: 0, cleaned: 0, clean: 0, cleanCleaned: 0 };
    for (const [i, text] of TEXTS.entries()) {
      const speech = concat(Float32Array, [await speaker.say(text), new Float32Array(SECOND / 5)]);
      const make = i % 2 === 0 ? pinkNoise : whiteNoise;
      const length = speech.length + 2 * SECOND;
      const at5 = await over(speech, noiseBelow(speech, make(length, i + 1), 5));
      const at10 = await over(speech, noiseBelow(speech, make(length, i + 1), 10));
      for (const { before, after } of [at5, at10]) {
        expect(ratioDb(speech, after) - ratioDb(speech, before)).toBeGreaterThan(2.5);
      }
      total.noisy += await errorsIn(text, at5.before);
      total.cleaned += await errorsIn(text, at5.after);
      total.clean += await errorsIn(text, speech);
      // As if it stayed on in silence.
      const { out } = await pass(reduction, speech, () => true);
      total.cleanCleaned += await errorsIn(text, out);
    }
    // Rounding differs between processors, which may cost one of 28 words; `bench -- noise` uses
    // more.
    expect(total.cleaned).toBeLessThanOrEqual(total.noisy + 1);
    expect(total.cleanCleaned).toBeLessThanOrEqual(total.clean + 1);
  });

  it('passes quiet audio unchanged and without the worker', async () => {
    const idle = new RnnoiseNoiseReduction();
    const audio = whiteNoise(SECOND);
    const output: number[] = [];
    const stream = idle.open({
      onSamples: (samples) => output.push(...samples),
      onFault: () => undefined,
    });
    stream.push(audio, false);
    expect(isSame(Float32Array.from(output), audio)).toBe(true);
    expect(await idle.sessions()).toBe(0);
    await idle.close();
  });

  it('keeps the position of every sample while it turns on and off', async () => {
    const speech = await speaker.say(TEXTS[2]!);
    const audio = concat(Float32Array, [speech, speech, speech]);
    let on = 0;
    const { out, faults } = await pass(reduction, audio, (_, at) => {
      const isNoisy = Math.floor(at / 9_600) % 2 === 1;
      on += isNoisy ? 1 : 0;
      return isNoisy;
    });
    expect(on).toBeGreaterThan(10);
    expect(faults).toEqual([]);
    // Clean speech is almost unchanged, compared sample by sample.
    expect(ratioDb(audio, out)).toBeGreaterThan(10);
  });

  it('processes twenty calls concurrently and removes each at its end', async () => {
    const audio = pinkNoise(SECOND).map((sample) => sample * 0.1);
    const calls = await Promise.all(
      Array.from({ length: 20 }, () => pass(reduction, audio, () => true)),
    );
    for (const { out, faults } of calls) {
      expect(faults).toEqual([]);
      expect(isSame(out, calls[0]!.out)).toBe(true);
    }
    const open = reduction.open({ onSamples: () => undefined, onFault: () => undefined });
    open.push(audio, true);
    await expect.poll(() => reduction.sessions(), { timeout: 30_000 }).toBe(1);
    expect(reduction.openStreams).toBe(1);
    open.close();
    await expect.poll(() => reduction.sessions(), { timeout: 30_000 }).toBe(0);
    expect(reduction.openStreams).toBe(0);
  });

  it('passes audio unchanged if its worker is lost', async () => {
    const dying = new RnnoiseNoiseReduction();
    await dying.warm();
    const audio = whiteNoise(SECOND);
    const running = pass(dying, audio, () => true);
    await dying.close();
    const { out, faults } = await running;
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ code: 'WORKER_DIED' });
    expect(out.length).toBe(audio.length);
    expect(isSame(out.subarray(-FRAME), audio.subarray(-FRAME))).toBe(true);
    const later = await pass(dying, audio, () => true);
    expect(isSame(later.out, audio)).toBe(true);
  });

  it('gives up a stream with an excessive queue', async () => {
    const faults: unknown[] = [];
    let count = 0;
    const stream = reduction.open({
      onSamples: (samples) => {
        count += samples.length;
      },
      onFault: (error) => faults.push(error),
    });
    const minute = new Float32Array(60 * SECOND);
    stream.push(minute, true);
    expect(faults).toMatchObject([{ code: 'QUEUE_FULL' }]);
    expect(count).toBe(minute.length);
    stream.close();
  });
});
