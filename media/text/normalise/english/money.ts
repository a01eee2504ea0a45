import type { SpokenForm } from '../../aligned-text.js';
import { anyOf, setApart } from '../rules/number-text.js';
import { ENGLISH_TABLES } from '../word-lists/en.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';
import { apart, ENGLISH_NUMBER, englishCardinal, isOne } from './number-words.js';

const HUNDREDTHS: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.entries(ENGLISH_TABLES.hundredths),
);
const LARGE_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(ENGLISH_TABLES.largeLetters),
);
const PERIODS: ReadonlyMap<string, string> = new Map(Object.entries(ENGLISH_TABLES.periods));

const LARGE = '(hundred|thousand|million|billion|trillion|[kKmMbB]\\b)';

/** Returns the singular and plural of a currency, by its sign or code. */
type CurrencyNames = (sign: string) => readonly [string, string];

/** Returns the rules for amounts of money. The unit follows the number, as in speech. */
export function money(tables: NormaliserTables): SpokenForm[] {
  const nameOf: CurrencyNames = (sign) => tables.currency[sign.replace(/\.$/, '')] ?? ['', ''];
  return [
    { pattern: /\b(?:US|U\.S\.) ?\$(?=\d)/g, say: () => '$' },
    // $250-$300
    { pattern: /(?<=[$£€]\d[\d.,]{0,12}) ?[-–] ?(?=[$£€]\d)/g, say: () => ' to ' },
    {
      // $20/mo
      pattern: /(?<=[$£€]\d[\d.,]{0,12}) ?\/ ?(hr|d|wk|mo|yr|hour|day|week|month|year)\b/g,
      say: ([, each = '']) => ` per ${PERIODS.get(each) ?? each}`,
    },
    signFirst(new RegExp(`([$£€])\\s?(${ENGLISH_NUMBER})\\s?${LARGE}`, 'g'), nameOf),
    {
      pattern: /([$£€])\s?(\d+(?:,\d+)*)?(?:\.(\d{1,2}))?(?![\d.,]*\d)/g,
      say: (match) => {
        const [, sign = ''] = match;
        return exactAmount(match, nameOf(sign));
      },
    },
    signFirst(new RegExp(`([$£€])\\s?(${ENGLISH_NUMBER})`, 'g'), nameOf),
    numberFirst(new RegExp(`(?<![\\w.])(${ENGLISH_NUMBER})\\s?([€£¢])`, 'g'), nameOf),
    signFirst(
      new RegExp(
        `(?<!\\w)(${anyOf(['¥', '₹', '₩', 'Rs.', 'Rs', 'USD', 'EUR', 'GBP'])})\\s?(${ENGLISH_NUMBER})(?:\\s?${LARGE})?`,
        'g',
      ),
      nameOf,
    ),
    numberFirst(new RegExp(`(?<![\\w.])(${ENGLISH_NUMBER})\\s?(USD|EUR|GBP)\\b`, 'g'), nameOf),
  ];
}

/** Rule for a sign, a number and possibly a large unit such as "million". */
function signFirst(pattern: RegExp, nameOf: CurrencyNames): SpokenForm {
  return {
    pattern,
    say: (match) => {
      const [, sign = '', number = '', large] = match;
      const [one, many] = nameOf(sign);
      if (!large) return setApart(match, amountOf(number, one, many));
      return setApart(
        match,
        `${number} ${LARGE_LETTERS.get(large.toLowerCase()) ?? large} ${many}`,
      );
    },
  };
}

/** Rule for a number and a sign. */
function numberFirst(pattern: RegExp, nameOf: CurrencyNames): SpokenForm {
  return {
    pattern,
    say: (match) => {
      const [, number = '', sign = ''] = match;
      return setApart(match, amountOf(number, ...nameOf(sign)));
    },
  };
}

function amountOf(number: string, one: string, many: string): string {
  return `${number} ${isOne(number.replaceAll(',', '')) ? one : many}`;
}

/** Returns "three dollars and fifty cents" or "five cents"; undefined without a number. */
function exactAmount(
  match: RegExpExecArray,
  [one, many]: readonly [string, string],
): string | undefined {
  const [, sign = '', whole, part] = match;
  if (whole === undefined && part === undefined) return undefined;
  const [, continental, continentalPart] = /^(\d+),(\d\d)$/.exec(part ? '' : (whole ?? '')) ?? [];
  const units = (continental ?? whole ?? '0').replaceAll(',', '');
  const cents = Number((continentalPart ?? part ?? '0').padEnd(2, '0'));
  const words: string[] = [];
  if (Number(units) > 0 || cents === 0) {
    words.push(`${apart(englishCardinal(units))} ${Number(units) === 1 ? one : many}`);
  }
  if (cents > 0) {
    const [cent, centsName] = HUNDREDTHS.get(sign) ?? ['cent', 'cents'];
    words.push(`${apart(englishCardinal(cents))} ${cents === 1 ? cent : centsName}`);
  }
  return setApart(match, words.join(' and '));
}
