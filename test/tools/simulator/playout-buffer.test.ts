import { describe, expect, it } from 'vitest';
import { PlayoutBuffer } from '../../../tools/simulator/playout-buffer.js';

/** Frames of four samples; records the returned marks in order. */
function setUp(holdFrames = 0) {
  const returnedMarks: string[] = [];
  const buffer = new PlayoutBuffer({
    frameLength: 4,
    holdFrames,
    onMark: (name, isCleared) => returnedMarks.push(`${name} ${isCleared ? 'cleared' : 'played'}`),
  });
  const push = (...samples: number[]) => buffer.push(Int16Array.from(samples));
  const take = () => buffer.take()?.join(' ');
  return { buffer, returnedMarks, push, take };
}

describe('playout buffer of a carrier', () => {
  it('plays audio in order in any chunking, and silence when it is empty', () => {
    const { push, take } = setUp();
    push(1, 2, 3);
    push(4, 5, 6, 7, 8, 9);
    expect([take(), take(), take(), take()]).toEqual(['1 2 3 4', '5 6 7 8', '9 0 0 0', undefined]);
  });

  it('returns a mark when the audio before it has been played, not when it starts', () => {
    const { buffer, returnedMarks, push, take } = setUp();
    push(1, 2, 3, 4);
    buffer.mark('a');
    push(5, 6, 7, 8);
    buffer.mark('b');
    take();
    expect(returnedMarks).toEqual([]);
    take();
    expect(returnedMarks).toEqual(['a played']);
    take();
    expect(returnedMarks).toEqual(['a played', 'b played']);
  });

  it('returns a mark after the audio being played, and immediately in silence', () => {
    const { buffer, returnedMarks, push, take } = setUp();
    push(1, 2, 3, 4);
    take();
    buffer.mark('late');
    expect(returnedMarks).toEqual([]);
    take();
    buffer.mark('idle');
    expect(returnedMarks).toEqual(['late played', 'idle played']);
  });

  it('returns all marks immediately at a clear, and drops unplayed audio', () => {
    const { buffer, returnedMarks, push, take } = setUp();
    push(1, 2, 3, 4, 5, 6, 7, 8);
    buffer.mark('a');
    push(9, 9, 9, 9);
    buffer.mark('b');
    take();
    expect(buffer.clear()).toBe(8);
    expect(returnedMarks).toEqual(['a cleared', 'b cleared']);
    expect(buffer.waiting).toBe(0);
    push(7, 7, 7, 7);
    buffer.mark('c');
    expect(take()).toBe('7 7 7 7');
    take();
    expect(returnedMarks.at(-1)).toBe('c played');
  });

  it('delays audio after silence, so that later jitter causes no gap', () => {
    const { push, take } = setUp(2);
    push(1, 1, 1, 1);
    expect([take(), take()]).toEqual([undefined, undefined]);
    push(2, 2, 2, 2);
    expect([take(), take(), take()]).toEqual(['1 1 1 1', '2 2 2 2', undefined]);
    push(3, 3, 3, 3);
    expect([take(), take(), take()]).toEqual([undefined, undefined, '3 3 3 3']);
  });
});
