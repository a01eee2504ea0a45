import { isMainThread, workerData } from 'node:worker_threads';
import { MediaError } from '../../../media/errors.js';
import { type JobHandlers, serveJobs } from '../../../media/runtime/serve-jobs.js';

/** Jobs of the worker in the thread tests. */
export type MortalJobs = {
  readonly echo: { readonly input: string; readonly output: string };
  readonly refuse: { readonly input: null; readonly output: null };
  readonly die: { readonly input: null; readonly output: null };
  /** Hangs in an endless loop or on a lock. */
  readonly hang: { readonly input: 'loop' | 'lock'; readonly output: null };
  /** Hangs the first time only; `attempts` counts the jobs of all workers. */
  readonly hangOnce: { readonly input: { readonly attempts: Int32Array }; readonly output: string };
  /** Waits until `release`, like for an event outside of the thread. */
  readonly wait: { readonly input: null; readonly output: null };
  readonly release: { readonly input: null; readonly output: null };
};

let release: () => void = () => undefined;

function hang(how: 'loop' | 'lock'): never {
  if (how === 'lock') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  for (;;);
}

const handlers: JobHandlers<MortalJobs> = {
  echo: (text) => ({ output: text }),
  refuse: () => {
    throw new MediaError('INVALID_INPUT', 'No');
  },
  die: () => process.exit(3),
  hang: (how) => hang(how),
  hangOnce: ({ attempts }) =>
    Atomics.add(attempts, 0, 1) === 0 ? hang('loop') : { output: 'done' },
  wait: () =>
    new Promise((resolve) => {
      release = () => resolve({ output: null });
    }),
  release: () => {
    release();
    return { output: null };
  },
};

if (!isMainThread) serveJobs(handlers, { isParallel: workerData === 'parallel' });
