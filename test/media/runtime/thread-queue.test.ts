import { describe, expect, it } from 'vitest';
import { CpuScheduler, type Priority, ThreadQueue } from '../../../media/runtime/cpu-scheduler.js';

/** A job that ends on demand. */
function job(name: string, log: string[]) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { run, end };
}

/** Waits for all pending promise callbacks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('thread queue', () => {
  it('runs one job at a time and leaves unused permits to others', async () => {
    const scheduler = new CpuScheduler(2);
    const queue = new ThreadQueue(scheduler);
    const log: string[] = [];
    const [first, second, other] = [job('first', log), job('second', log), job('other', log)];
    const done = [
      queue.use('first-chunk', first.run),
      queue.use('first-chunk', second.run),
      scheduler.use('background', other.run),
    ];
    await settle();
    expect(log).toEqual(['first begins', 'other begins']);
    first.end();
    second.end();
    other.end();
    expect(await Promise.all(done)).toEqual(['first', 'second', 'other']);
    expect(scheduler.busy).toBe(0);
  });

  it('runs an urgent job before earlier ones', async () => {
    const scheduler = new CpuScheduler(1);
    const queue = new ThreadQueue(scheduler);
    const log: string[] = [];
    const names: [string, Priority][] = [
      ['running', 'later-chunk'],
      ['later', 'later-chunk'],
      ['urgent', 'first-chunk'],
    ];
    const jobs = names.map(([name, priority]) => {
      const { run, end } = job(name, log);
      return { end, done: queue.use(priority, run) };
    });
    await settle();
    for (const { end } of jobs) end();
    await Promise.all(jobs.map(({ done }) => done));
    expect(log.filter((line) => line.endsWith('begins'))).toEqual([
      'running begins',
      'urgent begins',
      'later begins',
    ]);
  });

  it('removes a waiting job when its signal is aborted, at any point of the wait', async () => {
    for (const total of [1, 2]) {
      const scheduler = new CpuScheduler(total);
      const queue = new ThreadQueue(scheduler);
      const log: string[] = [];
      const running = job('running', log);
      const done = queue.use('first-chunk', running.run);
      await settle();
      const controller = new AbortController();
      const stopped = queue.use('first-chunk', job('stopped', log).run, controller.signal);
      await settle();
      controller.abort();
      await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
      running.end();
      await done;
      expect(log).toEqual(['running begins', 'running ends']);
      expect(scheduler.busy).toBe(0);
    }
  });

  it('uses one permit per job, however many wait', async () => {
    const observed: string[] = [];
    const scheduler = new CpuScheduler(3, (priority) => observed.push(priority));
    const queue = new ThreadQueue(scheduler);
    const log: string[] = [];
    const jobs = ['a', 'b', 'c', 'd'].map((name) => {
      const { run, end } = job(name, log);
      return { end, done: queue.use('turn', run) };
    });
    for (const [i, { end, done }] of jobs.entries()) {
      await settle();
      expect(scheduler.busy).toBe(1);
      end();
      await done;
      expect(observed).toHaveLength(i + 1);
    }
    expect(scheduler.busy).toBe(0);
  });

  it('measures the wait for a permit, without the wait for the thread', async () => {
    const waits: number[] = [];
    const scheduler = new CpuScheduler(2, (_, waitMs) => waits.push(waitMs));
    const queue = new ThreadQueue(scheduler);
    const first = job('first', []);
    const done = [queue.use('turn', first.run), queue.use('turn', async () => 'second')];
    expect(scheduler.waiting('turn')).toBe(0);
    const began = performance.now();
    await expect.poll(() => performance.now() - began, { interval: 10 }).toBeGreaterThan(200);
    first.end();
    await Promise.all(done);
    expect(waits).toHaveLength(2);
    for (const waitMs of waits) expect(waitMs).toBeLessThan(100);
  });

  it('is free again after a failed job', async () => {
    const queue = new ThreadQueue(new CpuScheduler(1));
    await expect(queue.use('turn', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.use('turn', async () => 'yes')).toBe('yes');
  });
});
