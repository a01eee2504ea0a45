import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { LoadMonitor } from '../../../src/calls/admission/load-monitor.js';

/** Looks come ten times as fast as in the product, so that a test lasts a second or two. */
const LOOK_MS = 100;
const LIMIT_MS = 30_000;

const watches: LoadMonitor[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});

/**
 * A gateway that has a core to itself, as far as it knows; how much of one a test is given is not
 * in its hands.
 */
function watching(calls: number, cores = 1): LoadMonitor {
  const cpuSeconds = () => (cores * performance.now()) / 1000;
  const watch = new LoadMonitor(pino({ level: 'silent' }), { sampleMs: LOOK_MS, cpuSeconds });
  watches.push(watch);
  watch.start(() => calls);
  return watch;
}

/** Keeps the event loop from everything else, as too many calls would. */
async function overload(isEnough: () => boolean): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  while (!isEnough() && performance.now() < until) {
    for (const end = performance.now() + 60; performance.now() < end; );
    await sleep(1);
  }
}

describe('the watch over the load', () => {
  it('lets nobody in while the event loop cannot keep up, and everybody when it can again', async () => {
    const watch = watching(20);
    expect(watch.isOpen).toBe(true);
    await overload(() => !watch.isOpen);
    expect(watch.isOpen).toBe(false);
    const until = performance.now() + LIMIT_MS;
    while (!watch.isOpen && performance.now() < until) await sleep(50);
    expect(watch.isOpen).toBe(true);
  });

  it('lets everybody in while there are next to no calls, as at a start', async () => {
    const watch = watching(1);
    const busy = watching(20);
    await overload(() => !busy.isOpen);
    expect([watch.isOpen, busy.isOpen]).toEqual([true, false]);
  });

  it('lets everybody in while others have the CPU', async () => {
    const [starved, busy] = [watching(20, 0.3), watching(20)];
    await overload(() => !busy.isOpen);
    expect([starved.isOpen, busy.isOpen]).toEqual([true, false]);
  });

  it('counts how long callers wait for a CPU, and no other jobs', async () => {
    // Of the last two one is asked nothing of: a machine that stands still may close both.
    const [urgent, background, idle] = [watching(20), watching(20), watching(20)];
    const until = performance.now() + LIMIT_MS;
    while (urgent.isOpen && performance.now() < until) {
      for (let i = 0; i < 10; i++) {
        urgent.job('turn', 3_000, 50);
        background.job('background', 3_000, 50);
      }
      await sleep(20);
    }
    expect([urgent.isOpen, background.isOpen]).toEqual([false, idle.isOpen]);
  });
});
