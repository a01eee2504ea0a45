import { toCardinal, toOrdinal } from 'n2words/nl-NL';
import type { SpokenForm } from '../../aligned-text.js';
import { type Grammar, loadForms } from '../rules/grammar.js';
import { DUTCH_WORDS } from '../word-lists/nl.js';

const FORMS = loadForms(DUTCH_WORDS);

function cardinal(value: number): string {
  return value === 0 ? 'nul' : toCardinal(value);
}

/** Returns a year in words, in hundreds from 1100 on. Source: CLDR rbnf/nl.xml, spellout-numbering-year. */
function yearInWords(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds < 11 || hundreds > 19) return cardinal(value);
  return `${cardinal(hundreds)}honderd${value % 100 ? cardinal(value % 100) : ''}`.replace(
    'één',
    'een',
  );
}

const ORDINAL: SpokenForm = {
  pattern: /(?<![\p{L}\d.,])([1-9]\d{0,3})(?:e|de|ste)(?!\p{L})/gu,
  say: ([, digits]) => toOrdinal(Number(digits)).replace(/d (?=\p{L})/u, 'd'),
};

/** The grammar of Dutch. Source: Taalunie, Taaladvies; Onze Taal; CLDR rbnf/nl.xml. */
export const DUTCH: Grammar = {
  ...FORMS,
  own: [ORDINAL],
  cardinal,
  year: yearInWords,
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'een half' : undefined;
    const part = FORMS.fractions[under];
    return part && `${over === 1 ? 'een' : cardinal(over)} ${part}`;
  },
  date: ({ day, month, year }) => {
    const words = [cardinal(day), FORMS.months[month - 1]];
    if (year !== undefined) words.push(yearInWords(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) => `${cardinal(hour)} uur${minute > 0 ? ` ${cardinal(minute)}` : ''}`,
};
