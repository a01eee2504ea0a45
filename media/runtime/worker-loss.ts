import { channel } from 'node:diagnostics_channel';

/** A worker that was lost with its jobs; the next job starts another one. */
export interface WorkerLoss {
  /** Name of the worker's program: `silero`, `moonshine`, `hibari`, … */
  readonly worker: string;
  /** `hung`: it had jobs and sent no message within its limit. */
  readonly reason: 'died' | 'hung';
  /** The error that ended it, if known. */
  readonly cause: unknown;
}

/**
 * Node's diagnostics channel on which each `WorkerLoss` is published. The workers belong to many
 * owners; metrics and logs need to observe all of them.
 */
export const workerLosses = channel('parley:worker-loss');
