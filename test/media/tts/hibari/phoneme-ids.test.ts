import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpokenWord } from '../../../../media/tts/english-g2p/front-end.js';
import { MAX_PART_PHONEMES, phonemeParts } from '../../../../media/tts/hibari/phoneme-ids.js';
import { partWordTimes, silentHops } from '../../../../media/tts/hibari/word-times.js';
import '../../../support/harness/process/property-seed.js';

const SPACE = 16;
const vocabulary = new Map([...' ,.abc'].map((phoneme, i) => [phoneme, i === 0 ? SPACE : i]));
const id = (phoneme: string) => vocabulary.get(phoneme)!;

/** Words as returned by a front end: punctuation belongs to the word before it. */
function spoken(...words: string[]): SpokenWord[] {
  let textStart = 0;
  return words.map((phonemes, i) => {
    const word = {
      phonemes,
      textStart,
      textEnd: textStart + phonemes.length,
      whitespaceAfter: !/^[,.]$/.test(words[i + 1] ?? ''),
    };
    textStart = word.textEnd + (word.whitespaceAfter ? 1 : 0);
    return word;
  });
}

describe('phoneme IDs of an utterance', () => {
  it('have pads between words and no unknown phonemes', () => {
    const [part, ...others] = phonemeParts(spoken('a?b', 'c', '.'), vocabulary);
    expect(others).toEqual([]);
    expect(part?.ids).toEqual([0, id('a'), id('b'), SPACE, id('c'), id('.'), 0]);
    expect(part?.words).toEqual([
      { textStart: 0, textEnd: 3, from: 1, to: 3 },
      { textStart: 4, textEnd: 5, from: 4, to: 5 },
    ]);
  });

  it('treat several words of one written text as one word', () => {
    const range = { textStart: 0, textEnd: 2, whitespaceAfter: true };
    const words = [
      { phonemes: 'a', ...range },
      { phonemes: 'b', ...range },
      { phonemes: 'c', textStart: 3, textEnd: 4, whitespaceAfter: false },
    ];
    expect(phonemeParts(words, vocabulary, 10)[0]?.words).toEqual([
      { textStart: 10, textEnd: 12, from: 1, to: 4 },
      { textStart: 13, textEnd: 14, from: 5, to: 6 },
    ]);
  });

  it.each([[[]], [['']], [['...']], [['?', '?']]])('are empty for %j', (words) => {
    expect(phonemeParts(spoken(...words), vocabulary)).toEqual([]);
  });

  it('are split after a clause if they are too long for one part', () => {
    const words = [...Array(60).fill('abcab'), ',', ...Array(30).fill('abcab'), '.'];
    const parts = phonemeParts(spoken(...words), vocabulary);
    expect(parts.map((part) => part.words.length)).toEqual([60, 30]);
    expect(parts[0]?.ids.at(-2)).toBe(id(','));
  });

  it('contain every phoneme and word in parts of limited length, for any words', () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 }),
      fc.constantFrom(',', '.'),
      fc.integer({ min: 390, max: 1300 }).map((length) => 'a'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 150 }), (words) => {
        const input = spoken(...words);
        const parts = phonemeParts(input, vocabulary);
        for (const part of parts)
          expect(part.ids.length - 2).toBeLessThanOrEqual(MAX_PART_PHONEMES);
        const letters = parts.flatMap((part) => part.ids.filter((i) => i >= id('a') && i < SPACE));
        const said = words.join('').replace(/[,.]/g, '');
        expect(letters.length).toBe(said.length);
        const starts = parts.flatMap((part) => part.words.map((w) => w.textStart));
        const wanted = input.filter((w) => /[abc]/.test(w.phonemes)).map((w) => w.textStart);
        expect(starts).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });
});

describe('word times', () => {
  const [part] = phonemeParts(spoken('ab', 'c', '.'), vocabulary);
  // pad, a, b, space, c, full stop, pad
  const durations = [14, 2, 3, 1, 4, 6, 1];

  it('follow from the durations of the phonemes, 25 ms each', () => {
    expect(partWordTimes(part!, durations, 0)).toEqual([
      { textStart: 0, textEnd: 2, startSample: 14 * 600, endSample: 19 * 600 },
      { textStart: 3, textEnd: 4, startSample: 20 * 600, endSample: 24 * 600 },
    ]);
  });

  it('are never before the start, although the silent pad is dropped', () => {
    const skipped = silentHops(durations) * 300;
    expect(skipped).toBe(28 * 300 - 6 * 300);
    expect(partWordTimes(part!, durations, -skipped)[0]?.startSample).toBe(6 * 300);
    expect(partWordTimes(part!, durations, -9999 * 300)[0]?.startSample).toBe(0);
    expect(silentHops([2])).toBe(0);
  });
});
