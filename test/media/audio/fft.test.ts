import { describe, expect, it } from 'vitest';
import { Fft } from '../../../media/audio/fft.js';

function naive(re: Float64Array, im: Float64Array): { re: Float64Array; im: Float64Array } {
  const n = re.length;
  const out = { re: new Float64Array(n), im: new Float64Array(n) };
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      const angle = (-2 * Math.PI * ((k * i) % n)) / n;
      out.re[k]! += re[i]! * Math.cos(angle) - im[i]! * Math.sin(angle);
      out.im[k]! += re[i]! * Math.sin(angle) + im[i]! * Math.cos(angle);
    }
  }
  return out;
}

function signal(length: number, phase: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => Math.sin(i * i * 0.37 + phase) + 0.1 * (i % 7));
}

function farthest(one: Float64Array, other: Float64Array): number {
  return one.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i]!)), 0);
}

describe('Fourier transform', () => {
  it.each([2, 3, 4, 5, 6, 16, 30, 400, 1200])('of length %i matches the definition', (n) => {
    const re = signal(n, 0);
    const im = signal(n, 1);
    const outRe = new Float64Array(n);
    const outIm = new Float64Array(n);
    new Fft(n).transform(re, im, outRe, outIm);
    const expected = naive(re, im);
    expect(farthest(outRe, expected.re)).toBeLessThan(1e-9 * n);
    expect(farthest(outIm, expected.im)).toBeLessThan(1e-9 * n);
  });

  it('is inverted by itself with real and imaginary parts exchanged', () => {
    const n = 1200;
    const fft = new Fft(n);
    const re = signal(n, 0);
    const im = signal(n, 1);
    const spectrum = [new Float64Array(n), new Float64Array(n)] as const;
    const back = [new Float64Array(n), new Float64Array(n)] as const;
    fft.transform(re, im, spectrum[0], spectrum[1]);
    fft.transform(spectrum[1], spectrum[0], back[1], back[0]);
    expect(
      farthest(
        back[0].map((v) => v / n),
        re,
      ),
    ).toBeLessThan(1e-12);
    expect(
      farthest(
        back[1].map((v) => v / n),
        im,
      ),
    ).toBeLessThan(1e-12);
  });

  it.each([0, 1, 7, 1201])('rejects the length %i', (n) => {
    expect(() => new Fft(n)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
