import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentenceBuffer } from '../../../media/text/sentences.js';
import '../../support/harness/process/property-seed.js';

const TEXT = 'Dr. Smith paid $3.50 today. "Really?" he asked! Yes; at 5 p.m. in Rome. And no';

/** What is handed on while the text comes in these pieces, and then at its end. */
function handedOn(pieces: readonly string[]): string[] {
  const hold = new SentenceBuffer('en');
  return [...pieces.map((piece) => hold.push(piece)), ...hold.flush()].filter(
    (text) => text !== '',
  );
}

describe('a text that is held', () => {
  it('is handed on by sentences', () => {
    expect(handedOn([...TEXT]).map((text) => text.trim())).toEqual([
      'Dr. Smith paid $3.50 today.',
      '"Really?" he asked!',
      'Yes; at 5 p.m. in Rome.',
      'And no',
    ]);
  });

  it('is whole, however it is cut, and its sentences end where they do', () => {
    const written = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'aB3 .!?,;:"\n[]()…。') }),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(written, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(handedOn(pieces).join('')).toBe(text);
        const ends = (parts: readonly string[]) => {
          const hold = new SentenceBuffer('en');
          return parts.map((part) => hold.push(part)).join('').length;
        };
        expect(ends(pieces)).toBe(ends([text]));
      }),
    );
  });

  it.each([
    ['It is done.', true],
    ['It is done.  ', true],
    ['Is it?', true],
    ['One. And two.', true],
    ['It is not', false],
    ['It is Mr.', false],
    ['It is, so far,', false],
    ['', false],
  ])('has %j ended, when nothing follows: %s', (text, hasEnded) => {
    const hold = new SentenceBuffer('en');
    const before = hold.push(text);
    const settled = hold.settle();
    expect(settled !== '').toBe(hasEnded);
    expect(before + settled + hold.flush().join('')).toBe(text);
  });

  it('is never handed on in parts that no voice takes', () => {
    const hold = new SentenceBuffer('en');
    hold.push('x'.repeat(50_000));
    const parts = hold.flush();
    expect(parts.join('').length).toBe(50_000);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(10_000);
  });
});
