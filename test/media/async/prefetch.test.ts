import { describe, expect, it } from 'vitest';
import { linkedAbort } from '../../../media/async/linked-abort.js';
import { prefetch } from '../../../media/async/prefetch.js';

/** Counts to `to` and records how far it got and whether it was closed. */
function counter(to: number) {
  const seen = { made: 0, isEnded: false };
  async function* count(): AsyncGenerator<number> {
    try {
      while (seen.made < to) {
        seen.made++;
        yield seen.made;
      }
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, source: count() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('prefetch', () => {
  it('yields every item in order', async () => {
    const found: number[] = [];
    for await (const item of prefetch(counter(5).source, 2)) found.push(item);
    expect(found).toEqual([1, 2, 3, 4, 5]);
  });

  it('prefetches exactly the configured number of items', async () => {
    const { seen, source } = counter(10);
    const items = prefetch(source, 2);
    await items.next();
    await settled();
    expect(seen.made).toBe(3);
    await items.next();
    await settled();
    expect(seen.made).toBe(4);
  });

  it('closes the source when its consumer stops', async () => {
    const { seen, source } = counter(10);
    for await (const item of prefetch(source, 2)) if (item === 2) break;
    expect(seen.isEnded).toBe(true);
  });

  it('throws the error of an item in its position', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error('no more');
    }
    const items = prefetch(failing(), 1);
    expect((await items.next()).value).toBe(1);
    await settled();
    await expect(items.next()).rejects.toThrow('no more');
  });
});

describe('linkedAbort', () => {
  it('is aborted with its signal, or separately', () => {
    const outer = new AbortController();
    const first = linkedAbort(outer.signal);
    const second = linkedAbort(outer.signal);
    first.abort();
    expect([outer.signal.aborted, second.signal.aborted]).toEqual([false, false]);
    outer.abort();
    expect(second.signal.aborted).toBe(true);
    expect(linkedAbort(outer.signal).signal.aborted).toBe(true);
  });
});
