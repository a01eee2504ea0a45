import { afterEach, expect, it } from 'vitest';
import type { NoiseReductionStream } from '../../../media/noise/noise-reduction.js';
import { RnnoiseNoiseReduction } from '../../../media/noise/rnnoise-noise-reduction.js';
import { DIES, FAILS, HANGS } from '../../support/harness/audio/faulty-samples.js';

const script = new URL('./halving-rnnoise.worker.js', import.meta.url);
const limits = { replyTimeoutMs: 400, startTimeoutMs: 20_000 };
const FRAME = 320;

let reduction: RnnoiseNoiseReduction;
let ownerFaults: unknown[] = [];
afterEach(() => reduction.close());

function openReduction(): void {
  ownerFaults = [];
  reduction = new RnnoiseNoiseReduction({
    onFault: (error) => ownerFaults.push(error),
    script,
    limits,
  });
}

interface Stream {
  readonly stream: NoiseReductionStream;
  /** The first sample of each output frame. */
  readonly outputs: number[];
  readonly faults: unknown[];
}

function openStream(onFrame: () => void = () => undefined): Stream {
  const outputs: number[] = [];
  const faults: unknown[] = [];
  const stream = reduction.open({
    onSamples: (samples) => {
      for (let at = 0; at < samples.length; at += FRAME) outputs.push(samples[at]!);
      onFrame();
    },
    onFault: (error) => faults.push(error),
  });
  return { stream, outputs, faults };
}

/** Pushes a frame per stream; the worker halves its samples. */
async function say(streams: readonly Stream[], value: number): Promise<void> {
  const wanted = streams.map(({ outputs }) => outputs.length + 1);
  for (const { stream } of streams) stream.push(new Float32Array(FRAME).fill(value), true);
  await expect
    .poll(() => streams.map(({ outputs }) => outputs.length), { interval: 5 })
    .toEqual(wanted);
}

it('only a stream with invalid audio is given up', async () => {
  openReduction();
  const streams = [openStream(), openStream(), openStream()];
  await say(streams, 0.5);
  streams[1]!.stream.push(new Float32Array(FRAME).fill(FAILS), true);
  await say([streams[0]!, streams[2]!], 0.25);
  await expect.poll(() => streams[1]!.outputs.length).toBe(2);
  await say(streams, 0.75);
  expect(streams.map(({ outputs }) => outputs)).toEqual([
    [0.25, 0.125, 0.375],
    [0.25, FAILS, 0.75],
    [0.25, 0.125, 0.375],
  ]);
  expect(streams.map(({ faults }) => faults.length)).toEqual([0, 1, 0]);
});

it('all streams continue if the owner of one throws', async () => {
  openReduction();
  const fail = () => {
    throw new Error('The owner fails');
  };
  const streams = [openStream(), openStream(fail), openStream()];
  for (const value of [0.5, 0.25, 0.75]) await say(streams, value);
  for (const { outputs, faults } of streams) {
    expect(outputs).toEqual([0.25, 0.125, 0.375]);
    expect(faults).toEqual([]);
  }
  expect(ownerFaults).toHaveLength(3);
});

it.each([
  ['hangs', HANGS],
  ['dies', DIES],
])('the next worker continues after one that %s', async (_, fatal) => {
  openReduction();
  const streams = [openStream(), openStream()];
  await say(streams, 0.5);
  // Frames of the lost worker pass unchanged, without gaps.
  streams[0]!.stream.push(new Float32Array(FRAME).fill(fatal), true);
  await say([streams[1]!], 0.25);
  await expect.poll(() => streams[0]!.outputs.length).toBe(2);
  await say(streams, 0.75);
  expect(streams[0]!.outputs).toEqual([0.25, fatal, 0.375]);
  expect(streams[1]!.outputs[0]).toBe(0.25);
  expect([0.25, 0.125]).toContain(streams[1]!.outputs[1]);
  expect(streams[1]!.outputs[2]).toBe(0.375);
  expect(streams.map(({ faults }) => faults)).toEqual([[], []]);
});

it('only a stream whose audio kills several workers is given up', async () => {
  openReduction();
  const [bad, ...good] = [openStream(), openStream(), openStream()];
  for (let i = 0; i < 3; i++) {
    bad!.stream.push(new Float32Array(FRAME).fill(DIES), true);
    await say(good, 0.5);
    await expect.poll(() => bad!.outputs.length).toBe(i + 1);
  }
  await say([bad!, ...good], 0.25);
  expect(bad!.faults).toMatchObject([{ code: 'WORKER_DIED' }]);
  expect(bad!.outputs.at(-1)).toBe(0.25);
  for (const { outputs, faults } of good) {
    expect(outputs.at(-1)).toBe(0.125);
    expect(faults).toEqual([]);
  }
});
