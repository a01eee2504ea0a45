import { describe, expect, it } from 'vitest';
import { CpuScheduler, ThreadQueue, type Urgency } from '../../../media/runtime/cpu-scheduler.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A job that runs until its gate is opened. */
function makeGate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Runs jobs that wait for the same permit and returns their order. */
async function orderOf(jobs: readonly (Urgency & { readonly name: string })[]): Promise<string[]> {
  const scheduler = new CpuScheduler(1);
  const order: string[] = [];
  const gate = makeGate();
  const blockingJob = scheduler.use('turn', () => gate.passed);
  const all = jobs.map(({ name, ...urgency }) =>
    scheduler.use(urgency, async () => void order.push(name)),
  );
  gate.open();
  await Promise.all([blockingJob, ...all]);
  return order;
}

describe('jobs that wait for a permit', () => {
  it('run by priority, then by due time, then in order of arrival', async () => {
    const now = performance.now();
    expect(
      await orderOf([
        { name: 'far ahead', priority: 'later-chunk', dueAt: now + 60_000 },
        { name: 'background', priority: 'background', dueAt: now - 60_000 },
        { name: 'ahead', priority: 'later-chunk', dueAt: now + 1_000 },
        { name: 'dry', priority: 'later-chunk', dueAt: now - 1 },
        { name: 'at once', priority: 'later-chunk' },
        { name: 'ahead too', priority: 'later-chunk', dueAt: now + 1_000 },
        { name: 'first', priority: 'first-chunk', dueAt: now + 90_000 },
      ]),
    ).toEqual(['first', 'dry', 'at once', 'ahead', 'ahead too', 'far ahead', 'background']);
  });

  it('are counted by priority', async () => {
    const scheduler = new CpuScheduler(1);
    const gate = makeGate();
    const all = [scheduler.use('turn', () => gate.passed)];
    all.push(scheduler.use('later-chunk', async () => undefined));
    all.push(scheduler.use({ priority: 'later-chunk', dueAt: 0 }, async () => undefined));
    expect([scheduler.waiting('later-chunk'), scheduler.waiting('turn')]).toEqual([2, 0]);
    gate.open();
    await Promise.all(all);
    expect(scheduler.waiting('later-chunk')).toBe(0);
  });
});

it('the scheduler returns the time since a job last waited, except for background jobs', async () => {
  const scheduler = new CpuScheduler(1);
  await scheduler.use('background', async () => undefined);
  expect(scheduler.sinceForegroundMs).toBe(Number.POSITIVE_INFINITY);
  await scheduler.use('interim-transcript', async () => undefined);
  expect(scheduler.sinceForegroundMs).toBeLessThan(30_000);
});

it('a free thread runs the job that is due first, although permits are free', async () => {
  const queue = new ThreadQueue(new CpuScheduler(4));
  const order: string[] = [];
  const gate = makeGate();
  const blockingJob = queue.use('turn', () => gate.passed);
  const all = [9_000, 3_000, 6_000].map((ms) =>
    queue.use({ priority: 'later-chunk', dueAt: performance.now() + ms }, async () => {
      order.push(String(ms));
      await settle();
    }),
  );
  all.push(queue.use('first-chunk', async () => void order.push('first')));
  await settle();
  gate.open();
  await Promise.all([blockingJob, ...all]);
  expect(order).toEqual(['first', '3000', '6000', '9000']);
});
