import type { Dialect } from '../../../languages.js';
import type { SpokenForm } from '../../aligned-text.js';
import { anyOf } from '../rules/number-text.js';
import { ENGLISH_TABLES } from '../word-lists/en.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';
import { englishCardinal, englishOrdinal } from './number-words.js';

const PARTS = ENGLISH_TABLES.fractions.split(' ');
const DAYS = ENGLISH_TABLES.days.split(' ');

/** Returns the rules that write numeric dates with the name of the month. `NUMBERS` then rewrites the years. */
export function numericDates(tables: NormaliserTables, dialect: Dialect): SpokenForm[] {
  const names = Object.values(tables.months);
  const dayAndMonth = (first: number, second: number, year: string, monthFirst: boolean) => {
    const isMonthFirst = monthFirst ? first <= 12 : second > 12;
    const [month, day] = isMonthFirst ? [first, second] : [second, first];
    return dateOf(names, month, day, year);
  };
  return [
    {
      pattern: /(?<![\w/-])(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?![\w/-])/g,
      say: ([, year, , month, day]) => dateOf(names, Number(month), Number(day), year),
    },
    {
      pattern: /(?<![\w/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\w/])/g,
      say: ([, first, second, year = '']) => {
        const full = year.length === 2 ? `${Number(year) > 30 ? '19' : '20'}${year}` : year;
        return dayAndMonth(Number(first), Number(second), full, dialect === 'us');
      },
    },
    {
      pattern: /(?<![\w.-])(\d{1,2})([-.])(\d{1,2})\2(\d{4})(?![\w-]|\.\d)/g,
      say: ([, first, sign, second, year = '']) =>
        dayAndMonth(Number(first), Number(second), year, dialect === 'us' && sign === '-'),
    },
  ];
}

/** Returns the rules for dates with a name: "Jan. 5th, 1999", "5 January". */
export function namedDates(tables: NormaliserTables): SpokenForm[] {
  const short = Object.keys(tables.months).map((key) => key.charAt(0).toUpperCase() + key.slice(1));
  const months = anyOf([...Object.values(tables.months), ...short, 'Sept']);
  const nameOf = (written: string) => tables.months[written.toLowerCase().slice(0, 3)] ?? written;
  return [
    {
      pattern: new RegExp(
        `\\b(${months})\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?![\\d:%])(,? \\d{4}\\b)?`,
        'g',
      ),
      say: ([, month = '', day = '', year = '']) =>
        isDay(Number(day)) ? `${nameOf(month)} ${englishOrdinal(day)}${year}` : undefined,
    },
    {
      pattern: new RegExp(
        `\\b(?:the )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${months})\\b(?:\\.(?= ?[a-z\\d,]))?`,
        'g',
      ),
      say: ([, day = '', month = '']) =>
        isDay(Number(day)) ? `the ${englishOrdinal(day)} of ${nameOf(month)}` : undefined,
    },
  ];
}

/** Returns "August second" or "August second, 2033"; `undefined` if there is no such day. */
function dateOf(
  names: readonly string[],
  month: number,
  day: number,
  year?: string,
): string | undefined {
  const name = names[month - 1];
  if (!name || !isDay(day)) return undefined;
  return `${name} ${englishOrdinal(day)}${year ? `, ${year}` : ''}`;
}

/** Returns the rules for "8/2": "August second", or a fraction if it is proper and the denominator is at most 10. */
export function slashPairs(tables: NormaliserTables): SpokenForm[] {
  const names = Object.values(tables.months);
  return [
    { pattern: /(?<=\d) (?=[1-9]\/\d(?![\d/]))/g, say: () => ' and ' },
    {
      pattern: /(?<![\w./])(\d{1,2})\/(\d{1,2})(?![\w/]|\.\d)/g,
      say: ([, over = '', under = '']) => {
        const [a, b] = [Number(over), Number(under)];
        if (a > 0 && a < b && b <= 10) return fraction(a, b);
        if (a === 24 && b === 7) return 'twenty-four seven';
        if (a === b) return `${englishCardinal(a)} out of ${englishCardinal(b)}`;
        return dateOf(names, a, b) ?? `${englishCardinal(a)} slash ${englishCardinal(b)}`;
      },
    },
  ];
}

function fraction(over: number, under: number): string {
  if (under === 2) return 'one half';
  return `${englishCardinal(over)} ${PARTS[under - 2]}${over === 1 ? '' : 's'}`;
}

function isDay(day: number): boolean {
  return day >= 1 && day <= 31;
}

const DAY = '(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:[a-z]{3,6})?';

/** Rules for "Mon-Fri". */
export const DAY_RANGES: readonly SpokenForm[] = [
  {
    pattern: new RegExp(`\\b${DAY}\\.?\\s?[-–]\\s?${DAY}\\b`, 'g'),
    say: ([, from, to]) => `${dayOf(from)} to ${dayOf(to)}`,
  },
];

function dayOf(short = ''): string {
  return DAYS.find((day) => day.startsWith(short.slice(0, 3))) ?? short;
}
