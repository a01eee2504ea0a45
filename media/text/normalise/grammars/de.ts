import { toCardinal, toOrdinal } from 'n2words/de-DE';
import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { contextOf } from '../rules/number-text.js';
import { GERMAN_TABLES, GERMAN_WORDS } from '../word-lists/de.js';

const FORMS = loadForms(GERMAN_WORDS);
const DAYS = GERMAN_TABLES.days.split(' ');

function cardinal(value: number, gender?: Gender): string {
  if (value === 0) return 'null';
  if (value === 1 && gender) return gender === 'f' ? 'eine' : 'ein';
  return toCardinal(value);
}

/** Returns a year in words, in hundreds from 1100 on. Source: CLDR rbnf/de.xml, spellout-numbering-year. */
function yearInWords(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds < 11 || hundreds > 19) return cardinal(value);
  return `${cardinal(hundreds)}hundert${value % 100 ? cardinal(value % 100) : ''}`;
}

const WEAK_N =
  /(?:^|[^\p{L}])(?:am|dem|den|des|im|vom|zum|zur|beim|ab|seit|bis|nach|einem|einen|eines|einer|ihrem|seinem) $/iu;
const WEAK_E = /(?:^|[^\p{L}])(?:der|die|das|eine|diese[rs]?|jede[rs]?) $/iu;

/** Returns the ordinal with the ending that the preceding word requires. */
function ordinalBehind(before: string, value: number): string {
  const stem = toOrdinal(value);
  if (WEAK_N.test(before)) return `${stem}n`;
  return WEAK_E.test(before) ? stem : `${stem}r`;
}

const DAY = 'Mo|Di|Mi|Do|Fr|Sa|So';

function dayOf(short: string): string {
  return DAYS.find((day) => day.startsWith(short)) ?? short;
}

const ORDINALS: readonly SpokenForm[] = [
  {
    // am 3.5.
    pattern: /(?<![\p{L}\d.,])(\d{1,2})\.(\d{1,2})\.(?!\d)/gu,
    say: (match) => {
      const [day, month] = [Number(match[1]), Number(match[2])];
      if (day < 1 || day > 31 || month < 1 || month > 12) return undefined;
      return `${ordinalBehind(contextOf(match).before, day)} ${FORMS.months[month - 1]}`;
    },
  },
  {
    // die 1990er
    pattern: /(?<![\p{L}\d.,])(\d{2,4})er(?!\p{L})/gu,
    say: ([, digits = '']) => `${yearInWords(Number(digits))}er`,
  },
  {
    pattern: new RegExp(`(?<!\\p{L})(${DAY})\\.?\\s?[-–]\\s?(${DAY})\\b\\.?(?!\\p{L})`, 'gu'),
    say: ([, from = '', to = '']) => `${dayOf(from)} bis ${dayOf(to)}`,
  },
  {
    // im 2. Stock
    pattern:
      /(?<=(?:^|[^\p{L}])(?:am|dem|den|des|im|vom|zum|zur|beim|der|die|das|eine[mnrs]?|ein|jede[mnrs]?|diese[mnrs]?) )([1-9]\d{0,2})\.(?= \p{Lu})/giu,
    say: (match) => ordinalBehind(contextOf(match).before, Number(match[1])),
  },
];

/**
 * Returns the denominator: "-tel" below twenty, "-stel" from twenty on. Source: CLDR rbnf/de.xml; Duden, Bruchzahlen.
 */
function partOf(under: number): string | undefined {
  const known = FORMS.fractions[under];
  if (known !== undefined || under < 2 || under > 1000) return known;
  const words =
    under === 100 || under === 1000 ? cardinal(under).replace(/^ein/, '') : cardinal(under);
  return words.charAt(0).toUpperCase() + words.slice(1) + (under < 20 ? 'tel' : 'stel');
}

/** The grammar of German. Source: Duden on numbers, dates and times; CLDR rbnf/de.xml. */
export const GERMAN: Grammar = {
  ...FORMS,
  own: [
    ...ORDINALS,
    { pattern: /(?<=\p{Ll})str\.(?= ?\d|$|,)/gu, needs: 'str.', say: () => 'straße' },
  ],
  cardinal,
  year: (value, behind) => (/^ \p{Lu}\p{Ll}/u.test(behind) ? undefined : yearInWords(value)),
  genderOf: (word) => {
    if (!/^\p{Lu}/u.test(word)) return undefined;
    return /(?:e|ung|heit|keit|schaft|ion|tät|frau|tür|nacht|stadt)$/iu.test(word) ? 'f' : 'm';
  },
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'ein halb' : undefined;
    const part = partOf(under);
    return part && `${cardinal(over, 'n')} ${part}`;
  },
  date: ({ day, month, year, before }) => {
    const words = [ordinalBehind(before, day), FORMS.months[month - 1]];
    if (year !== undefined) words.push(yearInWords(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) =>
    `${cardinal(hour, 'm')} Uhr${minute > 0 ? ` ${cardinal(minute)}` : ''}`,
};
