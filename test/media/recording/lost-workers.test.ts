import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { MixdownThread } from '../../../media/recording/mixdown-thread.js';
import { SpoolReader, samplesOf, summariseSpool } from '../../../media/recording/spool-reader.js';
import { SpoolThread } from '../../../media/recording/spool-thread.js';
import { SpoolWriter } from '../../../media/recording/spool-writer.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { StartedWorkers } from '../../support/harness/process/started-workers.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const RATES = { caller: 16_000, agent: 24_000 };
const SECOND = RATES.caller;

const folder = makeTestFolder();
let workers: StartedWorkers;
beforeEach(() => {
  workers = new StartedWorkers();
});
afterEach(() => workers.close());

function second(index: number) {
  return {
    leg: 'caller',
    at: index * SECOND,
    samples: new Int16Array(SECOND).fill(index + 1),
  } as const;
}

it('a mixdown whose worker is lost between two steps can be repeated', async () => {
  const spoolPath = join(folder, 'merge.spool');
  const writer = new SpoolWriter(spoolPath, RATES);
  for (let i = 0; i < 60; i++) writer.append([second(i)]);
  writer.close(60_000);
  const scheduler = new CpuScheduler(1);
  const thread = new MixdownThread(scheduler);
  const options = {
    spoolPath,
    outPath: join(folder, 'a.mp3'),
    channels: 1,
    mp3Program: 'wasm',
  } as const;
  const merging = thread.mixDown(options);
  // Runs when the mixdown is open, before its first step.
  const lost = scheduler.use('first-chunk', () => workers.terminateLast());
  await expect(merging).rejects.toMatchObject({ code: 'WORKER_DIED' });
  await lost;
  expect(await thread.mixDown(options)).toBe(60_000);
  await thread.close();
});

it('a spool continues in the same file after the loss of its worker, with silence for lost audio', async () => {
  const path = join(folder, 'call.spool');
  const thread = new SpoolThread();
  const faults: unknown[] = [];
  const spool = thread.open(path, RATES, (error) => faults.push(error));
  spool.append([second(0)]);
  await expect.poll(() => thread.durationOf(path)).toBe(1_000);
  await workers.terminateLast();
  // The new worker opens the spool for this second.
  spool.append([second(1)]);
  await expect.poll(() => workers.count).toBe(2);
  await thread.durationOf(path);
  spool.append([second(2)]);
  await spool.close(5_000);
  expect(faults).toEqual([]);
  expect(summariseSpool(path)).toEqual({ rates: RATES, durationMs: 5_000, isWhole: true });
  expect(secondsIn(path)).toEqual([0, 2]);
  await thread.close();
});

it('a spool ends completely although its worker was lost before', async () => {
  const path = join(folder, 'end.spool');
  const thread = new SpoolThread();
  const spool = thread.open(path, RATES, () => undefined);
  spool.append([second(0)]);
  await expect.poll(() => thread.durationOf(path)).toBe(1_000);
  await workers.terminateLast();
  await spool.close(1_500);
  expect(summariseSpool(path)).toMatchObject({ durationMs: 1_500, isWhole: true });
  await thread.close();
});

it('an encoded stream fails with its worker, and new streams work', async () => {
  const thread = new EncoderThread(new CpuScheduler(1));
  const options = { priority: 'first-chunk', signal: new AbortController().signal } as const;
  const samples = new Float32Array(24_000);
  const stream = thread.open({ format: 'pcm', inputRate: 24_000 });
  await stream.push(samples, options);
  await workers.terminateLast();
  await expect(stream.push(samples, options)).rejects.toMatchObject({ code: 'WORKER_DIED' });
  stream.cancel();
  const next = thread.open({ format: 'pcm', inputRate: 24_000 });
  expect((await next.push(samples, options)).length).toBeGreaterThan(0);
  await next.finish(options);
  await thread.close();
});

function secondsIn(path: string): number[] {
  const reader = new SpoolReader(path);
  const found: number[] = [];
  for (let record = reader.next(); record; record = reader.next()) {
    if (record.kind === 'caller' && samplesOf(record)[0] === record.at / SECOND + 1) {
      found.push(record.at / SECOND);
    }
  }
  reader.close();
  return found;
}
