import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { LoadMonitor } from '../../../src/calls/admission/load-monitor.js';

/** Sample interval in ms: a tenth of the product's, so that a test takes a second or two. */
const LOOK_MS = 100;
const LIMIT_MS = 30_000;

const watches: LoadMonitor[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});

/** A monitor that assumes a full core for the gateway, whatever CPU time the test gets. */
function watching(calls: number, cores = 1): LoadMonitor {
  const cpuSeconds = () => (cores * performance.now()) / 1000;
  const watch = new LoadMonitor(pino({ level: 'silent' }), { sampleMs: LOOK_MS, cpuSeconds });
  watches.push(watch);
  watch.start(() => calls);
  return watch;
}

/** Blocks the event loop, as too many calls would. */
async function overload(isEnough: () => boolean): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  while (!isEnough() && performance.now() < until) {
    for (const end = performance.now() + 60; performance.now() < end; );
    await sleep(1);
  }
}

describe('load monitor', () => {
  it('refuses calls while the event loop is overloaded, and accepts them after recovery', async () => {
    const watch = watching(20);
    expect(watch.admitsCalls).toBe(true);
    await overload(() => !watch.admitsCalls);
    expect(watch.admitsCalls).toBe(false);
    const until = performance.now() + LIMIT_MS;
    while (!watch.admitsCalls && performance.now() < until) await sleep(50);
    expect(watch.admitsCalls).toBe(true);
  });

  it('accepts calls while there are almost no calls, as after a start', async () => {
    const watch = watching(1);
    const busy = watching(20);
    await overload(() => !busy.admitsCalls);
    expect([watch.admitsCalls, busy.admitsCalls]).toEqual([true, false]);
  });

  it('accepts calls while other processes use the CPU', async () => {
    const [starved, busy] = [watching(20, 0.3), watching(20)];
    await overload(() => !busy.admitsCalls);
    expect([starved.admitsCalls, busy.admitsCalls]).toEqual([true, false]);
  });

  it("measures the queue of callers' CPU jobs and of no other jobs", async () => {
    // The last two differ only in their jobs: a stalled machine may close both.
    const [urgent, background, idle] = [watching(20), watching(20), watching(20)];
    const until = performance.now() + LIMIT_MS;
    while (urgent.admitsCalls && performance.now() < until) {
      for (let i = 0; i < 10; i++) {
        urgent.observeJob('turn', 3_000, 50);
        background.observeJob('background', 3_000, 50);
      }
      await sleep(20);
    }
    expect([urgent.admitsCalls, background.admitsCalls]).toEqual([false, idle.admitsCalls]);
  });
});
