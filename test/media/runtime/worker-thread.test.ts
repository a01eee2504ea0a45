import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { ModelThread } from '../../../media/runtime/model-thread.js';
import type { WatchdogLimits } from '../../../media/runtime/watchdog.js';
import { type WorkerLoss, workerLosses } from '../../../media/runtime/worker-loss.js';
import { WorkerThread } from '../../../media/runtime/worker-thread.js';
import type { MortalJobs } from './crashing.worker.js';

const script = new URL('./crashing.worker.js', import.meta.url);
const threads: { close(): Promise<void> }[] = [];
const losses: WorkerLoss[] = [];
const recordLoss = (loss: unknown) => losses.push(loss as WorkerLoss);
/** Short, so that a hanging worker is detected soon. */
const LIMITS: WatchdogLimits = { replyTimeoutMs: 400, startTimeoutMs: 20_000 };

function start(workerData: 'parallel' | null = null, limits?: WatchdogLimits) {
  const thread = new WorkerThread<MortalJobs>(script, workerData, limits);
  threads.push(thread);
  return thread;
}

function startLaned(scheduler: CpuScheduler, isStateless: boolean) {
  const thread = new ModelThread<MortalJobs>({ script, scheduler, limits: LIMITS, isStateless });
  threads.push(thread);
  return thread;
}

beforeEach(() => {
  losses.length = 0;
  workerLosses.subscribe(recordLoss);
});
afterEach(async () => {
  workerLosses.unsubscribe(recordLoss);
  for (const thread of threads.splice(0)) await thread.close();
});

describe('worker thread', () => {
  it('completes its jobs in order', async () => {
    const thread = start();
    const order: string[] = [];
    const echo = async (text: string) => order.push(await thread.run('echo', text));
    await Promise.all(['a', 'b', 'c'].map(echo));
    expect(order).toEqual(['a', 'b', 'c']);
    expect(thread.pending).toBe(0);
  });

  it("keeps the code of a job's error", async () => {
    await expect(start().run('refuse', null)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects pending jobs with WORKER_DIED when it dies, and restarts for the next job', async () => {
    const thread = start();
    await thread.run('echo', 'warm');
    const pendingJobs = [thread.run('die', null), thread.run('echo', 'behind')];
    for (const job of pendingJobs) await expect(job).rejects.toMatchObject({ code: 'WORKER_DIED' });
    expect(thread.pending).toBe(0);
    expect(await thread.run('echo', 'again')).toBe('again');
  });

  it('rejects jobs after its close', async () => {
    const thread = start();
    await thread.run('echo', 'warm');
    await thread.close();
    await expect(thread.run('echo', 'late')).rejects.toMatchObject({ code: 'WORKER_DIED' });
  });

  it.each(['loop', 'lock'] as const)(
    'rejects the jobs of a worker that hangs in a %s, and replaces it',
    async (how) => {
      const thread = start(null, LIMITS);
      await thread.run('echo', 'warm');
      const pendingJobs = [thread.run('hang', how), thread.run('echo', 'behind')];
      for (const job of pendingJobs)
        await expect(job).rejects.toMatchObject({ code: 'WORKER_DIED' });
      expect(thread.pending).toBe(0);
      expect(await thread.run('echo', 'again')).toBe('again');
      expect(losses).toEqual([{ worker: 'crashing', reason: 'hung', cause: undefined }]);
    },
  );

  it('replaces a worker that hangs repeatedly', async () => {
    const thread = start(null, LIMITS);
    for (let i = 0; i < 3; i++) {
      expect(await thread.run('echo', 'alive')).toBe('alive');
      await expect(thread.run('hang', 'loop')).rejects.toMatchObject({ code: 'WORKER_DIED' });
    }
    expect(losses).toHaveLength(3);
  });

  it('publishes the loss of a worker that died, but not of one that was closed', async () => {
    const thread = start();
    await expect(thread.run('die', null)).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await thread.run('echo', 'again');
    await thread.close();
    expect(losses).toMatchObject([{ worker: 'crashing', reason: 'died' }]);
  });

  it('gives a new worker time to load', async () => {
    const thread = start(null, { ...LIMITS, replyTimeoutMs: 1 });
    expect(await thread.run('echo', 'loaded')).toBe('loaded');
  });

  it('allows a long job that waits for others, if jobs run concurrently', async () => {
    const thread = start('parallel', { ...LIMITS, replyTimeoutMs: 1_000 });
    await thread.run('echo', 'warm');
    const began = performance.now();
    const waiting = thread.run('wait', null);
    await expect.poll(() => performance.now() - began).toBeGreaterThan(2_500);
    await thread.run('release', null);
    await waiting;
    const hung = [thread.run('wait', null), thread.run('hang', 'lock')];
    for (const job of hung) await expect(job).rejects.toMatchObject({ code: 'WORKER_DIED' });
  });
});

describe('job of a lost worker', () => {
  it('is repeated by the next worker if jobs are stateless', async () => {
    const scheduler = new CpuScheduler(1);
    const thread = startLaned(scheduler, true);
    const attempts = new Int32Array(new SharedArrayBuffer(4));
    const options = { priority: 'final-transcript' } as const;
    await thread.run('echo', 'warm', options);
    expect(await thread.run('hangOnce', { attempts }, options)).toBe('done');
    expect(losses).toHaveLength(1);
    // A job that kills every worker is given up.
    await expect(thread.run('die', null, options)).rejects.toMatchObject({ code: 'WORKER_DIED' });
    expect(losses).toHaveLength(3);
    expect(scheduler.busy).toBe(0);
  });

  it('fails if jobs have state, and releases its permit', async () => {
    const scheduler = new CpuScheduler(1);
    const thread = startLaned(scheduler, false);
    const attempts = new Int32Array(new SharedArrayBuffer(4));
    const options = { priority: 'first-chunk' } as const;
    await thread.run('echo', 'warm', options);
    const [hung, queued] = [
      thread.run('hangOnce', { attempts }, options),
      thread.run('echo', 'behind', options),
    ];
    await expect(hung).rejects.toMatchObject({ code: 'WORKER_DIED' });
    expect(await queued).toBe('behind');
    expect(scheduler.busy).toBe(0);
  });
});
