import type { Emit } from '../audio/stage.js';

/**
 * What a job emits, as it comes. The job is not held back by its reader, so it must be a small one;
 * it is over when the generator has ended, also when the reader left early.
 */
export async function* asyncQueue<T>(run: (emit: Emit<T>) => Promise<void>): AsyncGenerator<T> {
  const ready: T[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  const running = run((item) => {
    ready.push(item);
    wake?.();
  }).finally(() => {
    isOver = true;
    wake?.();
  });
  // Its fault is thrown below, when all that came before has been read.
  running.catch(() => undefined);
  try {
    while (ready.length > 0 || !isOver) {
      const [item] = ready.splice(0, 1);
      if (item !== undefined) yield item;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await running;
  } finally {
    await running.catch(() => undefined);
  }
}
