import { describe, expect, it } from 'vitest';
import { PlayoutBuffer } from '../../../tools/simulator/playout-buffer.js';

/** Frames of four samples; what is told of marks, in order. */
function setUp(holdFrames = 0) {
  const told: string[] = [];
  const buffer = new PlayoutBuffer({
    frameLength: 4,
    holdFrames,
    onMark: (name, isCleared) => told.push(`${name} ${isCleared ? 'cleared' : 'played'}`),
  });
  const push = (...samples: number[]) => buffer.push(Int16Array.from(samples));
  const take = () => buffer.take()?.join(' ');
  return { buffer, told, push, take };
}

describe('a carrier’s playout buffer', () => {
  it('plays what it is given in order, however it was cut, and silence when it is empty', () => {
    const { push, take } = setUp();
    push(1, 2, 3);
    push(4, 5, 6, 7, 8, 9);
    expect([take(), take(), take(), take()]).toEqual(['1 2 3 4', '5 6 7 8', '9 0 0 0', undefined]);
  });

  it('tells of a mark when what came before it has been played, not when that begins', () => {
    const { buffer, told, push, take } = setUp();
    push(1, 2, 3, 4);
    buffer.mark('a');
    push(5, 6, 7, 8);
    buffer.mark('b');
    take();
    expect(told).toEqual([]);
    take();
    expect(told).toEqual(['a played']);
    take();
    expect(told).toEqual(['a played', 'b played']);
  });

  it('lets a mark wait for the sound that is being played, and tells of it at once in silence', () => {
    const { buffer, told, push, take } = setUp();
    push(1, 2, 3, 4);
    take();
    buffer.mark('late');
    expect(told).toEqual([]);
    take();
    buffer.mark('idle');
    expect(told).toEqual(['late played', 'idle played']);
  });

  it('gives all marks back at once when it is cleared, and drops what was not played', () => {
    const { buffer, told, push, take } = setUp();
    push(1, 2, 3, 4, 5, 6, 7, 8);
    buffer.mark('a');
    push(9, 9, 9, 9);
    buffer.mark('b');
    take();
    expect(buffer.clear()).toBe(8);
    expect(told).toEqual(['a cleared', 'b cleared']);
    expect(buffer.waiting).toBe(0);
    push(7, 7, 7, 7);
    buffer.mark('c');
    expect(take()).toBe('7 7 7 7');
    take();
    expect(told.at(-1)).toBe('c played');
  });

  it('holds back what comes after silence, so that what is late then leaves no gap', () => {
    const { push, take } = setUp(2);
    push(1, 1, 1, 1);
    expect([take(), take()]).toEqual([undefined, undefined]);
    push(2, 2, 2, 2);
    expect([take(), take(), take()]).toEqual(['1 1 1 1', '2 2 2 2', undefined]);
    push(3, 3, 3, 3);
    expect([take(), take(), take()]).toEqual([undefined, undefined, '3 3 3 3']);
  });
});
