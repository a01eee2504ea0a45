import { describe, expect, it } from 'vitest';
import { readWav, stereoWav } from '../../../tools/simulator/wav-file.js';
import { tone } from '../../support/harness/audio/tones.js';
import { wavOf } from '../../support/harness/audio/wav-file.js';

describe('WAV files of callers', () => {
  it.each([8_000, 16_000, 22_050, 24_000, 44_100, 48_000])('are read at %i Hz', (rate) => {
    const said = readWav(wavOf(tone(440, rate, rate), rate), 8_000);
    expect(said).toHaveLength(8_000);
    const zeros = said.slice(1, -1).filter((sample, i) => said[i]! < 0 && sample >= 0).length;
    expect(Math.abs(zeros - 440)).toBeLessThanOrEqual(2);
  });

  it('are read with two channels, unknown chunks, and an unknown length', () => {
    const pcm = Int16Array.from([1000, 3000, -1000, -3000]);
    const file = stereoWav(
      pcm.filter((_, i) => i % 2 === 0),
      pcm.filter((_, i) => i % 2 === 1),
      8000,
    );
    const list = Buffer.from('LIST\x03\x00\x00\x00abc\x00', 'latin1');
    const longer = Buffer.concat([file.subarray(0, 12), list, file.subarray(12)]);
    longer.writeUInt32LE(0xffffffff, 12 + list.length + 24 + 4);
    expect([...readWav(longer, 8000)]).toEqual([2000, -2000]);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another file', Buffer.from('OggS and so on, which is no WAV file at all')],
    ['no audio', wavOf(new Float32Array(0), 8000).subarray(0, 36)],
    ['eight bits', Buffer.from(wavOf(tone(440, 8000, 80), 8000).fill(8, 34, 35))],
  ])('of %s are rejected with instructions', (_, file) => {
    expect(() => readWav(file, 8000)).toThrow(/ffmpeg -i FILE -ac 1 -ar 8000/);
  });
});
