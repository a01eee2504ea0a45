import { afterEach, describe, expect, it } from 'vitest';
import { WorkerThread } from '../../../media/inference/worker-thread.js';
import type { MortalJobs } from '../../support/mortal.worker.js';

const script = new URL('../../support/mortal.worker.js', import.meta.url);
const threads: WorkerThread<MortalJobs>[] = [];

function start(): WorkerThread<MortalJobs> {
  const thread = new WorkerThread<MortalJobs>(script, null);
  threads.push(thread);
  return thread;
}

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

describe('a worker thread', () => {
  it('answers its jobs in order', async () => {
    const thread = start();
    const order: string[] = [];
    const echo = async (text: string) => order.push(await thread.run('echo', text));
    await Promise.all(['a', 'b', 'c'].map(echo));
    expect(order).toEqual(['a', 'b', 'c']);
    expect(thread.pending).toBe(0);
  });

  it('keeps the code of an error that a job threw', async () => {
    await expect(start().run('refuse', null)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects with WORKER_DIED what it held when it died, and starts again for the next job', async () => {
    const thread = start();
    await thread.run('echo', 'warm');
    const held = [thread.run('die', null), thread.run('echo', 'behind')];
    for (const job of held) await expect(job).rejects.toMatchObject({ code: 'WORKER_DIED' });
    expect(thread.pending).toBe(0);
    expect(await thread.run('echo', 'again')).toBe('again');
  });

  it('takes no job once it is closed', async () => {
    const thread = start();
    await thread.run('echo', 'warm');
    await thread.close();
    await expect(thread.run('echo', 'late')).rejects.toMatchObject({ code: 'WORKER_DIED' });
  });
});
