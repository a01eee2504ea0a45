import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sentenceRanges } from '../../../media/tts/sentence-ranges.js';

const texts = (text: string) => sentenceRanges(text).map((range) => range.text);

it.each([
  ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
  ['Mr. Smith paid 3.5 dollars. He left.', ['Mr. Smith paid 3.5 dollars.', 'He left.']],
  ['J. R. Smith vs. Dr. Who. End', ['J. R. Smith vs. Dr. Who.', 'End']],
  ['He said "Stop!" Then he left.', ['He said "Stop!"', 'Then he left.']],
  ['Spell [SPELL:A. B] now. Good.', ['Spell [SPELL:A. B] now.', 'Good.']],
  ['a title\n\na text', ['a title', 'a text']],
  ['  ', []],
])('splits %j', (text, wanted) => {
  expect(texts(text)).toEqual(wanted);
});

it('gives ranges that hold every character but white space, in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aB1. !?\n"[]é😀') }), (text) => {
      let at = 0;
      for (const range of sentenceRanges(text)) {
        expect(text.slice(at, range.textStart).trim()).toBe('');
        expect(text.slice(range.textStart, range.textEnd)).toBe(range.text);
        at = range.textEnd;
      }
      expect(text.slice(at).trim()).toBe('');
    }),
  );
});

it('splits hostile texts without delay', () => {
  for (const text of ['. '.repeat(50_000), '"'.repeat(100_000), `${'A. '.repeat(30_000)}[SPELL:`]) {
    const started = performance.now();
    sentenceRanges(text);
    expect(performance.now() - started).toBeLessThan(500);
  }
});
