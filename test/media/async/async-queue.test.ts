import { expect, it } from 'vitest';
import { AsyncQueue } from '../../../media/async/async-queue.js';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it('a queue yields items in order, including those pushed while the reader waits, until it is closed', async () => {
  const queue = new AsyncQueue<number | undefined>();
  queue.push(1);
  const all = collect(queue.read());
  await Promise.resolve();
  queue.push(undefined);
  queue.push(3);
  queue.close();
  queue.push(4);
  expect(await all).toEqual([1, undefined, 3]);
});

it('a queue throws the error after the queued items', async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.fail(new Error('broken'));
  const items = queue.read();
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await expect(items.next()).rejects.toThrow('broken');
});

it('an empty queue throws ABORTED when the signal is aborted', async () => {
  const queue = new AsyncQueue<number>();
  const stop = new AbortController();
  const next = queue.read(stop.signal).next();
  stop.abort();
  await expect(next).rejects.toMatchObject({ code: 'ABORTED' });
});
