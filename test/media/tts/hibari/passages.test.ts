import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_PASSAGE, passagesOf } from '../../../../media/tts/hibari/passages.js';
import '../../../support/harness/process/property-seed.js';

describe('the passages of a text', () => {
  it('are one for a text of usual length, and none for an empty one', () => {
    expect(passagesOf('Good morning everyone.')).toEqual([
      { text: 'Good morning everyone.', start: 0 },
    ]);
    expect(passagesOf('')).toEqual([]);
  });

  it('end after a clause, or else after a word', () => {
    const clause = `${'word '.repeat(80)}end, `;
    expect(passagesOf(clause + 'word '.repeat(100))[0]?.text).toBe(clause);
    expect(passagesOf('seven77 '.repeat(100))[0]?.text).toBe('seven77 '.repeat(75));
  });

  it('do not part what is to be spelt', () => {
    const text = `${'word '.repeat(110)}[SPELL:${'A1 '.repeat(40)}] and more`;
    expect(passagesOf(text)[0]?.text).toBe('word '.repeat(110));
  });

  it('join to the text again, are bounded, and part no character, whatever the text', () => {
    const piece = fc.oneof(
      fc.constantFrom('word ', 'a', ', ', '. ', '[SPELL:', ']', '😀', '\n'),
      fc.integer({ min: 500, max: 1500 }).map((length) => 'x'.repeat(length)),
      fc.integer({ min: 500, max: 1500 }).map((length) => `y${'😀'.repeat(length)}`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const text = pieces.join('');
        const passages = passagesOf(text);
        expect(passages.map((passage) => passage.text).join('')).toBe(text);
        for (const { text: part, start } of passages) {
          expect(part.length).toBeGreaterThan(0);
          expect(part.length).toBeLessThanOrEqual(LONGEST_PASSAGE);
          expect(text.startsWith(part, start)).toBe(true);
          expect(part).not.toMatch(/[\uD800-\uDBFF]$/);
        }
      }),
      { numRuns: 50 },
    );
  });
});
