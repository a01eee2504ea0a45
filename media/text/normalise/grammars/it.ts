import { toCardinal, toOrdinal } from 'n2words/it-IT';
import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { ITALIAN_WORDS } from '../word-lists/it.js';

const FORMS = loadForms(ITALIAN_WORDS);

/** Returns a number below a million in one word. Source: CLDR rbnf/it.xml; Treccani, numerali. */
function below1e6(value: number): string {
  const [thousands, rest] = [Math.floor(value / 1000), value % 1000];
  if (thousands === 0) return value === 0 ? 'zero' : toCardinal(value);
  const head = thousands === 1 ? 'mille' : `${toCardinal(thousands).replace(/tré$/, 'tre')}mila`;
  return rest === 0 ? head : head + toCardinal(rest);
}

function cardinal(value: number, gender?: Gender): string {
  if (value === 1 && gender) return gender === 'f' ? 'una' : 'un';
  const scale = (of: number, one: string, many: string) => ({
    of,
    say: (n: number) => (n === 1 ? `un ${one}` : `${below1e6(n)} ${many}`),
  });
  const words = inScales(
    value,
    [
      scale(1e12, 'bilione', 'bilioni'),
      scale(1e9, 'miliardo', 'miliardi'),
      scale(1e6, 'milione', 'milioni'),
    ],
    below1e6,
  ).join(' ');
  return words.replace(/(?<=\p{L})tre$/u, 'tré');
}

const NO_NOUN =
  /^(?:di|e|o|a|ed|con|per|che|in|il|la|lo|le|gli|da|dal|al|del|più|meno|è|sono|su|non)$/;

function genderOf(word: string): Gender | undefined {
  const small = word.toLowerCase();
  if (NO_NOUN.test(small)) return undefined;
  return /(?:a|ione|tà|notte)$/.test(small) ? 'f' : 'm';
}

const ORDINALS: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])([1-9]\d{0,3})\.?([º°ªoa])(?![\p{L}CF]| ?[CF](?!\p{L}))/gu,
    say: ([, digits, sign = '']) => {
      const ordinal = toOrdinal(Number(digits));
      return sign === 'ª' || sign === 'a' ? ordinal.replace(/o$/, 'a') : ordinal;
    },
  },
  {
    pattern: new RegExp(`(?<!\\p{L})${ROMAN_NUMERAL}(?= secol[oi]| capitolo)`, 'gu'),
    say: ([numeral]) => (numeral ? toOrdinal(romanValue(numeral)) : undefined),
  },
  {
    pattern: new RegExp(`(?<=(?:secolo|capitolo) )${ROMAN_NUMERAL}`, 'gu'),
    say: ([numeral]) => (numeral ? toOrdinal(romanValue(numeral)) : undefined),
  },
];

/** The grammar of Italian. Source: Accademia della Crusca; Treccani, La grammatica italiana; CLDR rbnf/it.xml. */
export const ITALIAN: Grammar = {
  ...FORMS,
  own: ORDINALS,
  cardinal,
  genderOf,
  fraction: (over, under) => {
    const part = FORMS.fractions[under];
    return part && `${cardinal(over, 'm')} ${over === 1 ? part : part.replace(/o$/, 'i')}`;
  },
  date: ({ day, month, year }) => {
    const words = [day === 1 ? 'primo' : cardinal(day), FORMS.months[month - 1]];
    if (year !== undefined) words.push(cardinal(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) => {
    const hours = hour === 1 ? 'una' : cardinal(hour);
    return minute > 0 ? `${hours} e ${cardinal(minute)}` : hours;
  },
};
