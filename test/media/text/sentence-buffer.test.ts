import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentenceBuffer } from '../../../media/text/sentences.js';
import '../../support/harness/process/property-seed.js';

const TEXT = 'Dr. Smith paid $3.50 today. "Really?" he asked! Yes; at 5 p.m. in Rome. And no';

/** The texts emitted for these chunks, and then at the end. */
function emitted(inputs: readonly string[]): string[] {
  const hold = new SentenceBuffer('en');
  return [...inputs.map((input) => hold.push(input)), ...hold.flush()].filter(
    (text) => text !== '',
  );
}

describe('sentence buffer', () => {
  it('emits complete sentences', () => {
    expect(emitted([...TEXT]).map((text) => text.trim())).toEqual([
      'Dr. Smith paid $3.50 today.',
      '"Really?" he asked!',
      'Yes; at 5 p.m. in Rome.',
      'And no',
    ]);
  });

  it('keeps the text and its sentence ends in any chunking', () => {
    const written = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'aB3 .!?,;:"\n[]()…。') }),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(written, { maxLength: 12 }), (inputs) => {
        const text = inputs.join('');
        expect(emitted(inputs).join('')).toBe(text);
        const ends = (parts: readonly string[]) => {
          const hold = new SentenceBuffer('en');
          return parts.map((part) => hold.push(part)).join('').length;
        };
        expect(ends(inputs)).toBe(ends([text]));
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
  ])('treats %j as complete without following text: %s', (text, hasEnded) => {
    const hold = new SentenceBuffer('en');
    const before = hold.push(text);
    const settled = hold.settle();
    expect(settled !== '').toBe(hasEnded);
    expect(before + settled + hold.flush().join('')).toBe(text);
  });

  it('emits parts of limited length', () => {
    const hold = new SentenceBuffer('en');
    hold.push('x'.repeat(50_000));
    const parts = hold.flush();
    expect(parts.join('').length).toBe(50_000);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(10_000);
  });
});
