import { setImmediate } from 'node:timers/promises';

/** Work in steps, none longer than about a millisecond, with its result at the end. */
export type Sliced<T> = Generator<void, T>;

/** Does work that nobody else waits for while it lasts. */
export function atOnce<T>(work: Sliced<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** Does work step by step; in between, whoever waits for the thread has his turn. */
export async function inSlices<T>(
  work: Sliced<T>,
  pause: () => Promise<unknown> = () => setImmediate(),
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await pause();
  }
}
