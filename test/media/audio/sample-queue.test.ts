import { expect, it } from 'vitest';
import { SampleQueue } from '../../../media/audio/sample-queue.js';

it('the queue returns the oldest samples across chunks and pads missing ones with silence', () => {
  const queue = new SampleQueue();
  queue.push(Float32Array.of(1, 2, 3));
  queue.push(Float32Array.of(4));
  expect([...queue.take(2)]).toEqual([1, 2]);
  const taken = queue.take(1);
  queue.push(Float32Array.of(5, 6, 7, 8));
  expect([...taken]).toEqual([3]);
  expect([...queue.take(6)]).toEqual([4, 5, 6, 7, 8, 0]);
  expect(queue.length).toBe(0);
});
