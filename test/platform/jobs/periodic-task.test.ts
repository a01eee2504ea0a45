import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PeriodicTask } from '../../../src/platform/jobs/periodic-task.js';

const INTERVAL_MS = 1_000;

/** A task whose runs end when `finish` is called. */
function setUp() {
  const errors: unknown[] = [];
  const runs: { finish: () => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const task = new PeriodicTask({
    intervalMs: INTERVAL_MS,
    run: (signal) =>
      new Promise<void>((finish, fail) => {
        runs.push({ finish, fail, signal });
      }),
    onError: (error) => errors.push(error),
  });
  return { task, runs, errors };
}

describe('periodic task', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('runs after each interval, and immediately on request', async () => {
    const { task, runs } = setUp();
    task.start();
    expect(runs).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(runs).toHaveLength(1);
    runs[0]!.finish();
    await vi.advanceTimersByTimeAsync(1);
    void task.runNow();
    expect(runs).toHaveLength(2);
    runs[1]!.finish();
    await task.close();
  });

  it('does not start a run while another one is in progress', async () => {
    const { task, runs } = setUp();
    task.start();
    await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
    const joined = task.runNow();
    expect(runs).toHaveLength(1);
    runs[0]!.finish();
    await joined;
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(runs).toHaveLength(2);
    runs[1]!.finish();
    await task.close();
  });

  it('reports the error of a run and runs again', async () => {
    const { task, runs, errors } = setUp();
    const run = task.runNow();
    runs[0]!.fail(new Error('no database'));
    await run;
    expect(errors).toEqual([new Error('no database')]);
    void task.runNow();
    expect(runs).toHaveLength(2);
    runs[1]!.finish();
    await task.close();
  });

  it('aborts its signal and waits for the current run when it is closed', async () => {
    const { task, runs } = setUp();
    task.start();
    void task.runNow();
    let isClosed = false;
    const closing = task.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(5 * INTERVAL_MS);
    expect(isClosed).toBe(false);
    expect(runs).toHaveLength(1);
    expect(runs[0]!.signal.aborted).toBe(true);
    runs[0]!.finish();
    await closing;
    expect(isClosed).toBe(true);
  });
});
