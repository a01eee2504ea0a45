import { setImmediate } from 'node:timers/promises';

/** Work that runs in steps of about 1 ms at most and returns its result. */
export type SteppedTask<T> = Generator<void, T>;

/** Runs all steps without a pause. */
export function runToEnd<T>(work: SteppedTask<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/**
 * Runs the steps and yields to the event loop after each.
 * @param pause - awaited after each step; default: one `setImmediate`
 */
export async function runInSteps<T>(
  work: SteppedTask<T>,
  pause: () => Promise<unknown> = () => setImmediate(),
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await pause();
  }
}
