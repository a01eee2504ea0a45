import { describe, expect, it } from 'vitest';
import { DtmfDetector } from '../../../media/audio/dtmf-detector.js';
import { dtmfTones, KEYS } from '../../../media/audio/dtmf-tones.js';
import { toInt16 } from '../../../media/audio/pcm.js';
import { decodeMulaw, encodeMulaw } from '../../../media/codec/g711.js';

function detectKeys(samples: Float32Array, rate: number, cut = 160): string {
  const pcm = new Int16Array(samples.length);
  toInt16(samples, pcm);
  let keys = '';
  const detector = new DtmfDetector(rate, (key) => {
    keys += key;
  });
  for (let at = 0; at < pcm.length; at += cut) detector.push(pcm.subarray(at, at + cut));
  return keys;
}

/** A pair of tones followed by silence of the same duration. */
function pair(
  low: number,
  high: number,
  ms: number,
  { rate = 8_000, lowGain = 0.2, highGain = 0.2 } = {},
) {
  const length = (rate * ms) / 1000;
  return Float32Array.from({ length: 2 * length + rate / 10 }, (_, i) =>
    i < length
      ? lowGain * Math.sin((2 * Math.PI * low * i) / rate) +
        highGain * Math.sin((2 * Math.PI * high * i) / rate)
      : 0,
  );
}

describe('DTMF detector', () => {
  it('detects each key once, at any sample rate and in any chunking', () => {
    for (const rate of [8_000, 16_000, 48_000]) {
      for (const cut of [1, 160, 333, 5_000]) {
        expect(detectKeys(dtmfTones(`${KEYS}1122#`, rate), rate, cut)).toBe(`${KEYS}1122#`);
      }
    }
  });

  it('detects keys through a telephone codec and in noise', () => {
    const samples = dtmfTones(KEYS, 8_000);
    const pcm = new Int16Array(samples.length);
    toInt16(samples, pcm);
    const encoded = new Uint8Array(pcm.length);
    encodeMulaw(pcm, encoded);
    decodeMulaw(encoded, pcm);
    let seed = 1;
    const noisy = Float32Array.from(pcm, (sample) => {
      seed = (seed * 16_807) % 2_147_483_647;
      return sample / 32768 + 0.05 * (seed / 2_147_483_647 - 0.5);
    });
    expect(detectKeys(noisy, 8_000)).toBe(KEYS);
  });

  it('accepts small deviations and level differences, and rejects short or distant tones', () => {
    // Limits of ITU-T Q.24: 1.5 % off is accepted, 3.5 % is not; 40 ms is accepted, 20 ms is not.
    expect(detectKeys(pair(770 * 1.012, 1336 * 0.988, 80), 8_000)).toBe('5');
    expect(detectKeys(pair(770, 1336, 80, { lowGain: 0.1, highGain: 0.2 }), 8_000)).toBe('5');
    expect(detectKeys(pair(770, 1336, 20), 8_000)).toBe('');
    expect(detectKeys(pair(770 * 1.05, 1336 * 1.05, 80), 8_000)).toBe('');
    expect(detectKeys(pair(770, 1336, 80, { lowGain: 0.01, highGain: 0.2 }), 8_000)).toBe('');
    expect(detectKeys(pair(770, 1336, 80, { lowGain: 0.001, highGain: 0.001 }), 8_000)).toBe('');
  });

  it('ignores single tones, sweeps and noise', () => {
    for (const hz of [697, 941, 1209, 1477, 440, 350]) {
      expect(detectKeys(pair(hz, hz, 500), 8_000)).toBe('');
    }
    let phase = 0;
    const sweep = Float32Array.from({ length: 40_000 }, (_, i) => {
      phase += (2 * Math.PI * (300 + (i / 40_000) * 2_000)) / 8_000;
      return 0.3 * Math.sin(phase) + 0.2 * Math.sin(2 * phase);
    });
    expect(detectKeys(sweep, 8_000)).toBe('');
    let seed = 7;
    const noise = Float32Array.from({ length: 400_000 }, () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return 0.5 * (seed / 2_147_483_647 - 0.5);
    });
    expect(detectKeys(noise, 8_000)).toBe('');
  });
});
