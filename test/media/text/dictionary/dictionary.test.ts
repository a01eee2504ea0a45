import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dictionary } from '../../../../media/text/dictionary/dictionary.js';
import type { PronunciationRule } from '../../../../media/text/dictionary/pronunciation-rule.js';
import { replaceSlowly } from './slow-dictionary.js';
import '../../../support/harness/process/property-seed.js';

function rule(word: string, replacement: string, more: Partial<PronunciationRule> = {}) {
  return { id: word, word, replacement, ipa: null, caseSensitive: true, ...more };
}

const anyCase = { caseSensitive: false };

function said(text: string, ...rules: readonly PronunciationRule[]): string {
  return new Dictionary(rules).apply(text).text.text;
}

describe('dictionary rule', () => {
  it.each([
    ['whole words only', 'cat concat cat5 cats, cat.', 'cat', 'CAT concat cat5 cats, CAT.'],
    ['no words after marks and digits', 'e\u0302cat 5cat _cat', 'cat', 'ê\u0063at 5cat _CAT'],
    ['signs without a boundary', 'C++ C++11 xC++', 'C++', '# #11 xC++'],
    ['a leading sign anywhere', 'ASP.NET and .NET5', '.NET', 'ASP# and .NET5'],
    ['signs inside of words', 'a&b & c', '&', 'a#b # c'],
    ['letters of any script', 'приветмир мир 東京都 東京', 'мир', 'приветмир # 東京都 東京'],
  ])('matches %s', (_, text, word, expected) => {
    const replacement = expected.includes('CAT') ? 'CAT' : '#';
    expect(said(text, rule(word, replacement))).toBe(expected);
  });

  it('matches any whitespace where the phrase has a space', () => {
    expect(
      said('New York, New \n\t York, NewYork, New\u00a0York', rule(' New   York ', 'NY')),
    ).toBe('NY, NY, NewYork, NY');
  });

  it('matches composed and decomposed letters', () => {
    const [short, long] = ['Caf\u00e9', 'Cafe\u0301'];
    expect(said(`${short} ${long}`, rule(long, 'x'))).toBe('x x');
    expect(said(`${short} ${long}`, rule(short, 'x'))).toBe('x x');
    expect(said('\u1112\u1161\u11ab 한 \u212b', rule('한', 'x'), rule('Å', 'y'))).toBe('x x y');
    expect(said('Cafe\u0301', rule('Cafe', 'x'))).toBe('Cafe\u0301');
  });

  it('ignores case only if configured', () => {
    expect(said('sql SQL Sql', rule('SQL', 'x'))).toBe('sql x Sql');
    expect(said('sql SQL Sql', rule('sQL', 'x', anyCase))).toBe('x x x');
  });

  it('matches letters that fold to several others, or to one another', () => {
    expect(said('STRASSE straße Strasse', rule('Straße', 'x', anyCase))).toBe('x x x');
    expect(
      said('ΟΔΟΣ οδος οδοσ', rule('Οδός'.normalize('NFD').replace(/\p{M}/gu, ''), 'x', anyCase)),
    ).toBe('x x x');
    expect(said('ſo So \u212aelvin', rule('SO', 'x', anyCase), rule('kelvin', 'y', anyCase))).toBe(
      'x x y',
    );
    // Half of an ß does not match.
    expect(said('maß', rule('mas', 'x', anyCase))).toBe('maß');
    expect(said('ı I i', rule('i', 'x', anyCase))).toBe('ı x x');
  });

  it('matches neither inside of [SPELL:…] nor across its border', () => {
    const rules = [rule('AB', 'x'), rule('SPELL', 'y'), rule('is [SPELL:AB]', 'z'), rule(']', 'w')];
    expect(said('AB is [SPELL:AB] [spell:AB]', ...rules)).toBe('x is [SPELL:AB] [spell:AB]');
    expect(said('[SPELL:AB', ...rules)).toBe('[y:x');
    expect(said('[SPELL:A\nAB]', ...rules)).toBe('[y:A\nxw');
  });
});

describe('several matching rules', () => {
  it('are resolved by length, then by order', () => {
    const city = [rule('York', 'a'), rule('New York', 'b'), rule('New York City', 'c')];
    expect(said('New York City, New York, York', ...city)).toBe('c, b, a');
    expect(said('x', rule('x', 'first'), rule('x', 'second'))).toBe('first');
    expect(said('x', rule('X', 'first', anyCase), rule('x', 'second'))).toBe('first');
    expect(said('x', rule('x', 'first'), rule('X', 'second', anyCase))).toBe('first');
  });

  // Source: PLS 1.0, appendix C: "New   York City" is "NY City" rather than "New   YC".
  it('are resolved by start, even if a later match overlaps', () => {
    const cities = [rule('York   City', 'YC'), rule('New York', 'NY')];
    expect(said('New   York City', ...cities)).toBe('NY City');
  });

  it('are reduced to the shorter one if the longer one has no word boundary', () => {
    expect(said('C++ code', rule('C', 'see'), rule('C++ c', 'x'))).toBe('see++ code');
  });

  it('do not match inside replacements', () => {
    expect(said('a b', rule('a', 'b'), rule('b', 'c'))).toBe('b c');
    expect(said('a a', rule('a', 'a a'), rule('a a a', 'x'))).toBe('a a a a');
  });
});

describe('dictionary result', () => {
  it('equals the text exactly if nothing matches', () => {
    const text = 'Cafe\u0301  \n [SPELL:x] \ud800';
    expect(said(text, rule('tea', 'coffee'))).toBe(text);
    expect(said(text)).toBe(text);
  });

  it('maps each part to its written range', () => {
    const written = 'The Cafe\u0301 runs SQL on  k8s.';
    const rules = [rule('SQL', 'sequel'), rule('on k8s', 'on kubernetes'), rule('Café', 'bar')];
    const { text } = new Dictionary(rules).apply(written);
    expect(text.text).toBe('The bar runs sequel on kubernetes.');
    const of = (word: string) => {
      const start = text.text.indexOf(word);
      const { textStart, textEnd } = text.origin(start, start + word.length);
      return written.slice(textStart, textEnd);
    };
    expect(['bar', 'sequel', 'kubernetes', 'runs'].map(of)).toEqual([
      'Cafe\u0301',
      'SQL',
      'k8s',
      'runs',
    ]);
  });

  it('lists the parts with a transcription', () => {
    const written = 'Dr Nguyen, Nguyen';
    const rules = [rule('Nguyen', '', { ipa: 'nwɪn' }), rule('Dr', 'doctor')];
    const { text, pronounced } = new Dictionary(rules).apply(written);
    expect(text.text).toBe('doctor Nguyen, Nguyen');
    expect(pronounced).toEqual([
      { textStart: 3, textEnd: 9, ipa: 'nwɪn' },
      { textStart: 11, textEnd: 17, ipa: 'nwɪn' },
    ]);
  });

  it('has a maximum length', () => {
    const { text, isWhole } = new Dictionary([rule('a', 'b'.repeat(500))]).apply(
      'a '.repeat(2_000),
    );
    expect(isWhole).toBe(false);
    expect(text.text.length).toBeLessThanOrEqual(14_000);
    expect(text.text.endsWith(' a ')).toBe(true);
  });
});

/**
 * Few letters, so that words overlap, with marks, signs, blanks and letters with irregular folding.
 */
const LETTERS = [
  'a',
  'A',
  'b',
  'ß',
  's',
  'S',
  'é',
  'e',
  '\u0301',
  '+',
  '.',
  ' ',
  '5',
  'σ',
  'ς',
  '😀',
];
const someText = (maxLength: number) =>
  fc.array(fc.constantFrom(...LETTERS, '\n', '[SPELL:a b]', '[SPELL:', ']'), { maxLength });
const someRules = fc.array(
  fc.record({
    word: fc
      .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(''))
      .filter((word) => word.trim() !== ''),
    caseSensitive: fc.boolean(),
  }),
  { maxLength: 8 },
);

describe('dictionary matcher', () => {
  it('equals a simple slow implementation for any rules and texts', () => {
    fc.assert(
      fc.property(someRules, someText(24), (words, parts) => {
        const rules = words.map((one, i) => ({ ...rule(one.word, `<${i}>`), ...one }));
        const text = parts.join('');
        const fast = said(text, ...rules);
        const slow = replaceSlowly(text, rules);
        // Unmatched text keeps its form.
        expect(fast.normalize('NFC')).toBe(slow);
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes time for matches, not for the size of the dictionary', () => {
    const text = 'Every word of this sentence is looked up once and again. '
      .repeat(18)
      .slice(0, 1_000);
    const few = new Dictionary(manyRules(10));
    const many = new Dictionary(manyRules(10_000));
    const ratio = bestTime(() => many.apply(text)) / bestTime(() => few.apply(text));
    expect(ratio).toBeLessThan(8);
  });

  it('is compiled in steps with the same result', async () => {
    const rules = [...manyRules(10_000).reverse(), ...manyRules(10), rule('zebra2', 'later')];
    let pauses = 0;
    const sliced = await Dictionary.compile(rules, async () => void pauses++);
    // Ten thousand words are read, sorted in parts, and merged.
    expect(pauses).toBeGreaterThan(50);
    const whole = new Dictionary(rules);
    for (const { word } of rules.filter((_, i) => i % 10 === 0)) {
      const text = `A ${word}, and ${word.toUpperCase()} of ${word}s.`;
      expect(sliced.apply(text)).toEqual(whole.apply(text));
    }
  });
});

function manyRules(count: number): PronunciationRule[] {
  return Array.from({ length: count }, (_, i) => {
    const word = `${['every', 'sentence', 'zebra', 'look', 'lo'][i % 5]}${i.toString(36)}`;
    return rule(word, 'said', { caseSensitive: i % 2 === 0 });
  });
}

function bestTime(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 60; round++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
