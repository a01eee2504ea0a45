/**
 * Pulls up to `ahead` items from `source` in advance, so that the next item is computed while the current
 * one is used. If the consumer returns early, the source is closed.
 * @param ahead - number of items that are pulled in advance, ≥ 1
 * @param stop - called before the source is closed; aborts the operation that the source awaits. Default: none
 */
export async function* prefetch<T>(
  source: AsyncGenerator<T>,
  ahead: number,
  stop: () => void = () => undefined,
): AsyncGenerator<T> {
  const waiting: Promise<IteratorResult<T>>[] = [];
  const pull = () => {
    const next = source.next();
    // A rejection is thrown when the item is consumed; until then it must not count as unhandled.
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
