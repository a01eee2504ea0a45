/**
 * Pulls up to `ahead` items from `source` before they are asked for, so that the next is made while the
 * current one is used. A consumer that stops early ends the source too; what the source may still be
 * waiting for then is `stop`'s to end (abort its signal there).
 */
export async function* prefetch<T>(
  source: AsyncGenerator<T>,
  ahead: number,
  stop: () => void = () => undefined,
): AsyncGenerator<T> {
  const waiting: Promise<IteratorResult<T>>[] = [];
  const pull = () => {
    const next = source.next();
    // Its rejection is thrown when its turn comes; until then it is not unhandled.
    next.catch(() => undefined);
    waiting.push(next);
  };
  try {
    pull();
    for (;;) {
      const { done, value } = await waiting.shift()!;
      if (done) return;
      while (waiting.length < ahead) pull();
      yield value;
    }
  } finally {
    stop();
    await source.return(undefined);
  }
}
