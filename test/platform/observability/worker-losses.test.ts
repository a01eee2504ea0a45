import pino from 'pino';
import { expect, it } from 'vitest';
import { WorkerThread } from '../../../media/runtime/worker-thread.js';
import { Metrics } from '../../../src/platform/observability/metrics.js';
import { watchWorkers } from '../../../src/platform/observability/worker-losses.js';
import type { MortalJobs } from '../../media/runtime/crashing.worker.js';

const script = new URL('../../media/runtime/crashing.worker.js', import.meta.url);
const LIMITS = { replyTimeoutMs: 300 } as const;

it('each worker that died or hung is counted and logged', async () => {
  const lines: string[] = [];
  const metrics = new Metrics();
  const stop = watchWorkers(metrics, pino({}, { write: (line: string) => lines.push(line) }));
  const thread = new WorkerThread<MortalJobs>(script, null, LIMITS);
  try {
    await expect(thread.run('die', null)).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await thread.run('echo', 'replaced');
    await expect(thread.run('hang', 'loop')).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await thread.run('echo', 'replaced');
    const text = await metrics.registry.metrics();
    expect(text).toContain('workers_lost_total{worker="crashing",reason="died"} 1');
    expect(text).toContain('workers_lost_total{worker="crashing",reason="hung"} 1');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { worker: 'crashing', reason: 'died' },
      { worker: 'crashing', reason: 'hung' },
    ]);
  } finally {
    stop();
    metrics.close();
    await thread.close();
  }
});
