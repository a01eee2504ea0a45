import { describe, expect, it } from 'vitest';
import { RetransmitBuffer } from '../../../agents-runtime/output/retransmit-buffer.js';

const LENGTH = 4;

/** A buffer with `count` frames; each contains its number as a 16-bit sample. */
function sent(count: number): RetransmitBuffer {
  const frames = new RetransmitBuffer(LENGTH);
  const frame = new Float32Array(LENGTH);
  for (let i = 0; i < count; i++) {
    frames.push(frame.fill(i / 32768), 0);
    frames.trim(i * 20);
  }
  return frames;
}

const numbersOf = (frames: readonly { readonly samples: Float32Array }[]) =>
  frames.map(({ samples }) => samples[LENGTH - 1]! * 32768);

describe('retransmit buffer', () => {
  it('keeps the positions of frames after any number of wraparounds', () => {
    const frames = sent(1_000);
    const again = frames.framesStartingAt(999 * 20 - 400);
    expect(again.map(({ positionMs }) => positionMs / 20)).toEqual(numbersOf(again));
    expect(again).toHaveLength(21);
  });

  it('returns the frames that start at a position, or those that extend beyond it', () => {
    const frames = sent(10);
    expect(numbersOf(frames.framesStartingAt(160))).toEqual([8, 9]);
    expect(numbersOf(frames.framesStartingAt(161))).toEqual([9]);
    expect(numbersOf(frames.framesEndingAfter(161))).toEqual([8, 9]);
    expect(numbersOf(frames.framesEndingAfter(180))).toEqual([9]);
    expect(frames.framesEndingAfter(200)).toEqual([]);
  });

  it('drops frames 5 s behind the playhead', () => {
    const frames = sent(1_000);
    expect(frames.framesStartingAt(0)[0]?.positionMs).toBe(999 * 20 - 5_000);
    frames.trim(1_000 * 20 + 5_000);
    expect(frames.framesStartingAt(0)).toEqual([]);
  });

  it('keeps positions when earlier frames are dropped', () => {
    const frames = sent(3);
    frames.clear();
    frames.push(new Float32Array(LENGTH).fill(0.5), 0);
    const [frame, ...others] = frames.framesStartingAt(0);
    expect(frame).toEqual({ positionMs: 60, samples: new Float32Array(LENGTH).fill(0.5) });
    expect(others).toEqual([]);
  });

  it('reports the position of each frame once, when the playhead has passed its start', () => {
    const positions: number[] = [];
    const frames = sent(5);
    const report = (positionMs: number) => positions.push(positionMs);
    frames.readPassed(20, report);
    frames.readPassed(41, report);
    frames.readPassed(41, report);
    expect(positions).toEqual([0, 20, 40]);
  });
});
