import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PASSAGE_LENGTH, splitText } from '../../../../media/tts/hibari/text-splitter.js';
import '../../../support/harness/process/property-seed.js';

describe('text splitter', () => {
  it('gives one part for a text of usual length, and none for an empty one', () => {
    expect(splitText('Good morning everyone.')).toEqual([
      { text: 'Good morning everyone.', start: 0 },
    ]);
    expect(splitText('')).toEqual([]);
  });

  it('splits after a clause, or else after a word', () => {
    const clause = `${'word '.repeat(80)}end, `;
    expect(splitText(clause + 'word '.repeat(100))[0]?.text).toBe(clause);
    expect(splitText('seven77 '.repeat(100))[0]?.text).toBe('seven77 '.repeat(75));
  });

  it('does not split spelled text', () => {
    const text = `${'word '.repeat(110)}[SPELL:${'A1 '.repeat(40)}] and more`;
    expect(splitText(text)[0]?.text).toBe('word '.repeat(110));
  });

  it('gives parts of limited length that add up to any text and split no character', () => {
    const fragment = fc.oneof(
      fc.constantFrom('word ', 'a', ', ', '. ', '[SPELL:', ']', '😀', '\n'),
      fc.integer({ min: 500, max: 1500 }).map((length) => 'x'.repeat(length)),
      fc.integer({ min: 500, max: 1500 }).map((length) => `y${'😀'.repeat(length)}`),
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 300 }), (fragments) => {
        const text = fragments.join('');
        const passages = splitText(text);
        expect(passages.map((passage) => passage.text).join('')).toBe(text);
        for (const { text: part, start } of passages) {
          expect(part.length).toBeGreaterThan(0);
          expect(part.length).toBeLessThanOrEqual(MAX_PASSAGE_LENGTH);
          expect(text.startsWith(part, start)).toBe(true);
          expect(part).not.toMatch(/[\uD800-\uDBFF]$/);
        }
      }),
      { numRuns: 50 },
    );
  });
});
