import type { Logger } from 'pino';
import { type WorkerLoss, workerLosses } from '../../../media/runtime/worker-loss.js';
import type { Metrics } from './metrics.js';

/** Counts and logs each worker that was lost. @returns a function that stops this */
export function watchWorkers(metrics: Metrics, log: Logger): () => void {
  const onLoss = (message: unknown) => {
    const { worker, reason, cause } = message as WorkerLoss;
    metrics.observeWorkerLoss(worker, reason);
    log.error(
      { worker, reason, err: cause },
      'A worker died or hung: the next job starts another one',
    );
  };
  workerLosses.subscribe(onLoss);
  return () => {
    workerLosses.unsubscribe(onLoss);
  };
}
