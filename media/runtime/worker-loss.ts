import { channel } from 'node:diagnostics_channel';

/** A worker that was lost with its jobs. The next job starts another worker. */
export interface WorkerLoss {
  /** Name of the worker's script, such as `silero`, `moonshine` or `hibari`. */
  readonly worker: string;
  /** `hung`: the worker had jobs and sent no message within its limit. */
  readonly reason: 'died' | 'hung';
  /** The error that ended the worker, if known. */
  readonly cause: unknown;
}

/**
 * The diagnostics channel of Node on which each `WorkerLoss` is published. Metrics and logs observe the
 * workers of all owners through it.
 */
export const workerLosses = channel('parley:worker-loss');
