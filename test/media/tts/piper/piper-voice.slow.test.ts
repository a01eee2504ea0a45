import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import { CpuScheduler, PRIORITIES } from '../../../../media/runtime/cpu-scheduler.js';
import { onnxNode } from '../../../../media/runtime/onnx-encode.js';
import { OnnxGraph } from '../../../../media/runtime/onnx-graph.js';
import { MoonshineSpeechToText } from '../../../../media/stt/moonshine-speech-to-text.js';
import { splitPiperGraph } from '../../../../media/tts/piper/piper-graph-split.js';
import { PiperModel } from '../../../../media/tts/piper/piper-model.js';
import type { PiperVoice } from '../../../../media/tts/piper/piper-voice.js';
import { parsePiperConfig } from '../../../../media/tts/piper/voice-config.js';
import type {
  SpeechChunk,
  SynthesisRequest,
  WordTime,
} from '../../../../media/tts/text-to-speech.js';
import { decibels } from '../../../support/harness/audio/decibels.js';
import {
  JOE,
  JOE_CONFIG,
  openJoe,
  startFormantProcess,
} from '../../../support/harness/audio/piper-joe.js';
import { modelFolder } from '../../../support/harness/process/model-folder.js';

const TWELVE = 'Our office opens at nine in the morning and closes at six.';
const RATE = 22_050;
/** The difference with an overlap of ten frames; nine give −58 dB. */
const SEAMLESS_DB = -100;

const folder = mkdtempSync(join(tmpdir(), 'parley-piper-'));
const scheduler = new CpuScheduler(1);
const engine = startFormantProcess();
let voice: PiperVoice;

beforeAll(async () => {
  voice = await openJoe(engine, scheduler, folder);
  await voice.warm();
});
afterAll(async () => {
  await voice.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function speak(
  text: string,
  changes: Partial<SynthesisRequest> = {},
  signal = new AbortController().signal,
) {
  const utterance = { text, language: 'en', temperature: 1, topP: 0.8, seed: 7, speed: 1 };
  return voice.speak({ ...utterance, ...changes }, { signal, firstPriority: 'first-chunk' });
}

async function say(text: string, changes: Partial<SynthesisRequest> = {}) {
  const chunks: SpeechChunk[] = [];
  for await (const chunk of speak(text, changes)) chunks.push(chunk);
  const samples = concat(
    Float32Array,
    chunks.map((chunk) => chunk.samples),
  );
  return { chunks, samples, words: chunks.flatMap((chunk) => chunk.words) };
}

async function expectNothingLeft(): Promise<void> {
  expect([
    voice.pending,
    await voice.countOpenUtterances(),
    engine.pending,
    scheduler.busy,
  ]).toEqual([0, 0, 0, 0]);
  for (const priority of PRIORITIES) expect(scheduler.waiting(priority)).toBe(0);
}

function expectInOrder(words: readonly WordTime[], samples: number): void {
  let text = 0;
  let time = 0;
  for (const word of words) {
    expect(word.textStart).toBeGreaterThanOrEqual(text);
    expect(word.textEnd).toBeGreaterThan(word.textStart);
    expect(word.startSample).toBeGreaterThanOrEqual(time);
    expect(word.endSample).toBeGreaterThanOrEqual(word.startSample);
    text = word.textEnd;
    time = word.endSample;
  }
  expect(time).toBeLessThanOrEqual(samples);
}

describe('Piper voice', () => {
  it('speaks in chunks with a short first one that has all word times', async () => {
    const { chunks, samples, words } = await say(TWELVE);
    const frames = chunks.map((chunk) => chunk.samples.length / 256);
    expect(frames.slice(0, 3)).toEqual([16, 32, 96]);
    // A smaller remainder is not a separate chunk.
    expect(frames.at(-1)).toBeGreaterThan(64);
    expect(frames.length).toBeLessThanOrEqual(5);
    expect(samples.length / RATE).toBeGreaterThan(2.5);
    expect(samples.length / RATE).toBeLessThan(5);
    expect(chunks[0]!.words).toEqual(words);
    expectInOrder(words, samples.length);
    expect(words.map((word) => TWELVE.slice(word.textStart, word.textEnd))).toEqual(
      TWELVE.replace('.', '').split(' '),
    );
  });

  it('is transcribed correctly by the recogniser', async () => {
    const { samples } = await say(TWELVE);
    const parts: Float32Array[] = [];
    const resampler = new Resampler(RATE, 16_000);
    resampler.push(samples, (part) => void parts.push(part.slice()));
    resampler.flush((part) => void parts.push(part.slice()));
    const id = 'moonshine-tiny-en';
    const recogniser = new MoonshineSpeechToText({ id, folder: modelFolder(id), scheduler });
    const { text } = await recogniser.transcribe(concat(Float32Array, parts), {
      priority: 'final-transcript',
    });
    await recogniser.close();
    expect(text.toLowerCase()).toMatch(/office opens at (nine|9).*morning and closes at (six|6)/);
  });

  it('is reproducible with the same seed only, except at a temperature of 0', async () => {
    const [first, again, other] = [
      await say(TWELVE),
      await say(TWELVE),
      await say(TWELVE, { seed: 8 }),
    ];
    expect(decibels(again.samples, first.samples)).toBeLessThan(SEAMLESS_DB);
    expect(decibels(other.samples, first.samples)).toBeGreaterThan(-20);
    const cold = await say(TWELVE, { temperature: 0 });
    const alsoCold = await say(TWELVE, { temperature: 0, seed: 8 });
    expect(decibels(alsoCold.samples, cold.samples)).toBeLessThan(SEAMLESS_DB);
  });

  it('supports different speeds', async () => {
    const length = async (speed: number) => (await say(TWELVE, { speed })).samples.length;
    const own = await length(1);
    expect((await length(2)) / own).toBeLessThan(0.7);
    expect((await length(0.5)) / own).toBeGreaterThan(1.5);
  });

  it('speaks a text that is too long for one run', async () => {
    const text = 'Every good boy does fine, and the quick brown fox jumps. '.repeat(8);
    const { samples, words } = await say(text);
    expect(words.length).toBe(text.match(/\w+/g)!.length);
    expectInOrder(words, samples.length);
  });

  it.each([
    ['nothing', ''],
    ['marks', '... ?! —'],
    ['an emoji', '😀'],
    ['another script', '你好，世界'],
    ['control characters', '\u0000\u0007\u001b[31m'],
    ['combining marks', `a${'\u0301'.repeat(15_000)}`],
    ['one endless word', 'x'.repeat(600)],
  ])('does not fail on %s', async (_, text) => {
    const { samples, words } = await say(text);
    expect(samples.every(Number.isFinite)).toBe(true);
    expectInOrder(words, samples.length);
    await expectNothingLeft();
  });

  it('leaves nothing behind when it is stopped or its reader stops', async () => {
    const stop = new AbortController();
    const speech = speak(`${TWELVE} ${TWELVE}`, {}, stop.signal);
    await speech.next();
    stop.abort();
    await expect(speech.next()).rejects.toMatchObject({ code: 'ABORTED' });
    await expectNothingLeft();
    const left = speak(`${TWELVE} ${TWELVE}`);
    await left.next();
    await left.return(undefined);
    await expectNothingLeft();
  });

  it('fails when its phonemizer dies and speaks again afterwards', async () => {
    await say('Hello.');
    // Stops the process first, so that it cannot respond before the kill.
    process.kill(engine.pid!, 'SIGSTOP');
    const coming = speak(TWELVE).next();
    await expect.poll(() => engine.pending).toBe(1);
    process.kill(engine.pid!, 'SIGKILL');
    await expect(coming).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await expectNothingLeft();
    expect((await say('Hello again.')).samples.length).toBeGreaterThan(RATE / 2);
  });
});

describe('model of a Piper voice', () => {
  const config = parsePiperConfig(readFileSync(JOE_CONFIG));
  const settings = { temperature: 1, seed: 3, speed: 1 };
  const ids = [1, 0, ...Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 20 + i : 0)), 2];

  async function encoded(model: PiperModel) {
    const plan = await model.encode(ids, settings);
    if (plan.type === 'audio') throw new Error('The voice was not cut');
    return plan;
  }

  it('gives the same audio in windows as in one run', async () => {
    const model = await PiperModel.load(JOE, folder, config);
    const plan = await encoded(model);
    const whole = await model.decode(plan, 0, plan.frames);
    const parts: Float32Array[] = [];
    for (let at = 0, size = 16; at < plan.frames; at += size / 2) {
      parts.push(await model.decode(plan, at, Math.min(plan.frames, at + size)));
      size *= 2;
    }
    expect(decibels(concat(Float32Array, parts), whole)).toBeLessThan(SEAMLESS_DB);
    expect(plan.durations.reduce((sum, frames) => sum + frames, 0)).toBe(plan.frames);
  });

  it('is split once, and again if the stored parts are damaged', async () => {
    const [kept] = readdirSync(folder);
    expect(readdirSync(folder).length).toBe(1);
    const file = join(folder, kept!, 'decoder.onnx');
    const before = readFileSync(file);
    writeFileSync(file, before.subarray(0, 1000));
    await encoded(await PiperModel.load(JOE, folder, config));
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual([kept]);
  });

  it('is split in memory if nothing can be stored', async () => {
    await encoded(await PiperModel.load(JOE, join(JOE_CONFIG, 'nowhere'), config));
    expect(existsSync(join(JOE_CONFIG, 'nowhere'))).toBe(false);
  });

  it('runs unsplit if its graph has no split point', async () => {
    const graph = new OnnxGraph(readFileSync(JOE));
    const up = graph.nodes.find(({ operator }) => operator === 'ConvTranspose');
    const activated = up!.inputs[0]!;
    const before = graph.makerOf(activated)!.inputs[0]!;
    // An activation that no Piper voice has: the shape is not recognised, but the model runs.
    const fields = [onnxNode('Tanh', [before], [activated])];
    const strange = graph.part(['output'], [], { names: [activated], needs: [before], fields });
    expect(splitPiperGraph(new OnnxGraph(strange))).toBe(undefined);
    const file = join(folder, 'strange.onnx');
    writeFileSync(file, strange);
    const plan = await (await PiperModel.load(file, folder, config)).encode(ids, settings);
    rmSync(file);
    expect(plan.type === 'audio' && plan.samples.length).toBeGreaterThan(RATE / 2);
  });

  it('is rejected if it is of another kind', () => {
    const hibari = readFileSync(join(modelFolder('hibari-heart'), 'hibari.onnx'));
    expect(splitPiperGraph(new OnnxGraph(hibari))).toBe(undefined);
  });
});
