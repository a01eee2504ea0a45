import type { SpokenForm } from '../../aligned-text.js';
import { anyOf } from '../rules/number-text.js';
import { romanValue } from '../rules/spelled-scales.js';
import { ENGLISH_TABLES } from '../word-lists/en.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';
import { apart, englishCardinal, englishOrdinal } from './number-words.js';

/** Returns the rules for titles, abbreviations, number signs, and Roman numerals after a name or a heading. */
export function abbreviations(tables: NormaliserTables): SpokenForm[] {
  const { titles, abbreviations: words } = tables;
  return [
    ...Object.entries(ENGLISH_TABLES.moreAbbreviations).map(([short, word]) => ({
      pattern: new RegExp(`(?<![\\w.])${short.replaceAll('.', '\\.')}(?!\\w)`, 'gi'),
      say: ([found]: RegExpExecArray) =>
        /^[A-Z]/.test(found) ? word.charAt(0).toUpperCase() + word.slice(1) : word,
    })),
    { pattern: /(?<![\w.])c\. ?(?=\d{3,4}\b)/g, say: () => 'circa ' },
    { pattern: /(?<!\S)<3(?!\S)/g, say: () => '' },
    {
      // "3rd St. NW" is a street.
      pattern:
        /(?<=(?:\d(?:st|nd|rd|th)|[a-z]) )St\.? (?=(?:[NS][EW]?|[EW]|North|South|East|West)\b)/g,
      say: () => 'Street ',
    },
    {
      // "1428 Elm St. It was": after a house number, "St." is a street.
      pattern: /(?<=(?<!\w)\d{1,5} [A-Z][a-z]{1,30} )St(?:\.(?= [A-Z]|$)|(?=,|$))/g,
      say: ([found]) => (found.endsWith('.') ? 'Street.' : 'Street'),
    },
    {
      // "12 Oak Dr." is a drive.
      pattern: /(?<=\d [A-Z][a-z]{1,30} )Dr\b\.?(?! [A-Z])/g,
      say: () => 'Drive',
    },
    {
      pattern: new RegExp(`\\b(${anyOf(Object.keys(titles))})\\.? (?=[A-Z])`, 'g'),
      say: ([, title = '']) => `${titles[title]} `,
    },
    {
      pattern: new RegExp(`(?<![\\w.])(${anyOf(Object.keys(words))})(?!\\w)`, 'g'),
      say: (match) => {
        const [, short = ''] = match;
        const end = match.index + short.length;
        // "The answer is no." is not a number (the reference normaliser treats it as one).
        if (/^nos?\.$/.test(short) && !/^ ?\d/.test(match.input.slice(end))) return undefined;
        const isLast = end === match.input.length;
        return `${words[short]}${isLast && short.endsWith('.') ? '.' : ''}`;
      },
    },
    { pattern: /\bNo\. ?(?=\d)/g, say: () => 'Number ' },
    { pattern: /\bNos\. ?(?=\d)/g, say: () => 'Numbers ' },
    { pattern: /(?<![\w&])#(?=\d)/g, say: () => 'number ' },
    ...romanNumerals(tables),
  ];
}

const ROMAN = '((?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))';

function romanNumerals(tables: NormaliserTables): SpokenForm[] {
  const after = (names: readonly string[]) =>
    new RegExp(`\\b(${anyOf(names)}) ${ROMAN}\\b(?![.'’]\\w)`, 'g');
  return [
    {
      pattern: after(tables.roman_cardinal),
      say: ([, name = '', numeral = '']) =>
        `${name} ${apart(englishCardinal(romanValue(numeral)))}`,
    },
    {
      pattern: after(tables.roman_ordinal),
      say: ([, name = '', numeral = '']) => `${name} the ${englishOrdinal(romanValue(numeral))}`,
    },
  ];
}
