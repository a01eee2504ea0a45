import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { contextOf } from '../rules/number-text.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { SPANISH_TABLES, SPANISH_WORDS } from '../word-lists/es.js';

const FORMS = loadForms(SPANISH_WORDS);
const SMALL = SPANISH_TABLES.small.split(' ');
const TENS = SPANISH_TABLES.tens.split(' ');
const HUNDREDS = SPANISH_TABLES.hundreds.split(' ');
const FIRST = SPANISH_TABLES.first.split(' ');
const TENTHS = SPANISH_TABLES.tenths.split(' ');
const HUNDREDTHS = SPANISH_TABLES.hundredths.split(' ');

/** Source: RAE, Ortografía (2010), VIII.2; CLDR rbnf/es.xml. */
function below1000(value: number, gender?: Gender): string {
  if (value === 100) return 'cien';
  if (value >= 100) {
    const hundreds = HUNDREDS[Math.floor(value / 100)]!;
    const agreed = gender === 'f' ? hundreds.replace(/os$/, 'as') : hundreds;
    return value % 100 === 0 ? agreed : `${agreed} ${below1000(value % 100, gender)}`;
  }
  if (value >= 30) {
    const tens = TENS[Math.floor(value / 10)]!;
    return value % 10 === 0 ? tens : `${tens} y ${below1000(value % 10, gender)}`;
  }
  const word = SMALL[value]!;
  if (value % 10 !== 1 || value === 11 || !gender) return word;
  if (gender === 'f') return word.replace(/o$/, 'a');
  return value === 21 ? 'veintiún' : 'un';
}

function cardinal(value: number, gender?: Gender): string {
  const multiple = gender === 'f' ? 'f' : 'm';
  return inScales(
    value,
    [
      {
        of: 1e12,
        say: (n) => (n === 1 ? 'un billón' : `${below1000(n, 'm')} billones`),
      },
      {
        of: 1e6,
        say: (n) => (n === 1 ? 'un millón' : `${cardinal(n, 'm')} millones`),
      },
      { of: 1e3, say: (n) => (n === 1 ? 'mil' : `${below1000(n, multiple)} mil`) },
    ],
    (rest) => below1000(rest, gender),
  ).join(' ');
}

const NO_NOUN =
  /^(?:del?|y|e|o|u|a|al|en|con|por|para|que|es|son|el|la|los|las|un|una|de|más|menos|se|me|te|le|nos|no|ni|si|como|pero|hasta|desde|entre|cuando|donde|coma|punto|veces)$/;
const MASCULINE = /^(?:días?|mapas?|temas?|programas?|problemas?|sistemas?|idiomas?|gramas?)$/;

function genderOf(word: string, value: number): Gender | undefined {
  const small = word.toLowerCase();
  if (small === 'veces') return 'f';
  if (NO_NOUN.test(small) || small.length < 3) return undefined;
  if (value !== 1 && !small.endsWith('s') && !small.includes('mil')) return undefined;
  if (MASCULINE.test(small)) return 'm';
  return /(?:as?|ci[oó]n(?:es)?|dad(?:es)?|noches?|llaves?|calles?|tardes?|clases?)$/.test(small)
    ? 'f'
    : 'm';
}

/** Returns the ordinal, one word up to twenty-nine. Source: RAE, Diccionario panhispánico de dudas, ordinales. */
function ordinalOf(value: number): string {
  if (value === 1000) return 'milésimo';
  if (value > 1000)
    return `${value < 2000 ? '' : cardinal(Math.floor(value / 1000))}milésimo${value % 1000 ? ` ${ordinalOf(value % 1000)}` : ''}`;
  if (value >= 100) {
    const hundreds = HUNDREDTHS[Math.floor(value / 100)]!;
    return value % 100 === 0 ? hundreds : `${hundreds} ${ordinalOf(value % 100)}`;
  }
  if (value < 13) return FIRST[value]!;
  const tens = TENTHS[Math.floor(value / 10)]!;
  if (value % 10 === 0) return tens;
  const ones = FIRST[value % 10]!;
  return value < 30
    ? withoutAccent(tens).replace(/o$/, ones.startsWith('o') ? '' : 'o') + ones
    : `${tens} ${ones}`;
}

function withoutAccent(word: string): string {
  return word.replace('é', 'e');
}

/** Rule for "3.er" before a noun and "1.º" without one. */
const ORDINAL: SpokenForm = {
  pattern:
    /(?<![\p{L}\d.,])([1-9]\d{0,2}|[12]\.?000)(?:\.?(º|ª|°|er)(?! ?[CF](?!\p{L}))|\.(o|a)|(ro|do|to|vo|mo|ra|da|ta|va|ma))(?!\p{L})/gu,
  say: (match) => {
    const ordinal = ordinalOf(Number(match[1]!.replace(/\D/g, '')));
    const sign = match[2] ?? match[3] ?? match[4] ?? '';
    if (sign === 'ª' || sign.endsWith('a')) return ordinal.replace(/o(?= |$)/g, 'a');
    const isBeforeNoun = sign === 'er' || /^ \p{Ll}{3}/u.test(contextOf(match).behind);
    return isBeforeNoun ? ordinal.replace(/(primer|tercer)o$/, '$1') : ordinal;
  },
};

/** Returns the denominator: "onceavo". Source: RAE, Diccionario panhispánico de dudas, fraccionarios. */
function partOf(under: number): string | undefined {
  if (under <= 10) return FORMS.fractions[under];
  if (under === 100) return 'centésimo';
  if (under === 1000) return 'milésimo';
  if (under > 100) return undefined;
  const joined = cardinal(under).replaceAll(' y ', 'i').replaceAll('é', 'e').replaceAll('ó', 'o');
  return `${joined.replace(/[ao]$/, '')}avo`;
}

const CENTURY: SpokenForm = {
  pattern: new RegExp(`(?<=(?:siglos?|capítulo|tomo) )${ROMAN_NUMERAL}`, 'giu'),
  say: ([numeral]) => cardinal(romanValue(numeral.toUpperCase())),
};

/**
 * The grammar of Spanish. Source: RAE and ASALE, Ortografía de la lengua española; Diccionario panhispánico de dudas.
 */
export const SPANISH: Grammar = {
  ...FORMS,
  own: [ORDINAL, CENTURY],
  cardinal,
  genderOf,
  fraction: (over, under) => {
    const part = partOf(under);
    return part && `${cardinal(over, 'm')} ${part}${over === 1 ? '' : 's'}`;
  },
  date: ({ day, month, year }) =>
    `${cardinal(day)} de ${FORMS.months[month - 1]}${year === undefined ? '' : ` de ${cardinal(year)}`}`,
  time: ({ hour, minute }) => {
    const hours = cardinal(hour, 'f');
    if (minute === 0) return `${hours} ${hour === 1 ? 'hora' : 'horas'}`;
    return `${hours} ${minute < 10 ? 'cero ' : ''}${cardinal(minute)}`;
  },
};
