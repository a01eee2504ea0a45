import type { Logger } from 'pino';
import { type WorkerLoss, workerLosses } from '../../../media/runtime/worker-loss.js';
import type { Metrics } from './metrics.js';

/** Counts and logs each worker that was lost. @returns how to stop that. */
export function watchWorkers(metrics: Metrics, log: Logger): () => void {
  const onLoss = (message: unknown) => {
    const { worker, reason, cause } = message as WorkerLoss;
    metrics.observeWorkerLoss(worker, reason);
    log.error({ worker, reason, err: cause }, 'a worker was lost; the next job starts another one');
  };
  workerLosses.subscribe(onLoss);
  return () => {
    workerLosses.unsubscribe(onLoss);
  };
}
