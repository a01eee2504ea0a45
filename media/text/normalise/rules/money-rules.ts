import type { SpokenForm } from '../../aligned-text.js';
import type { Currency, Grammar } from './grammar.js';
import {
  ALONE,
  anyOf,
  contextOf,
  counted,
  NUMBER,
  numberInWords,
  ofNoun,
  parseNumber,
  setApart,
} from './number-text.js';

/** The end of "5,-" and "5,–": no hundredths. */
const NO_PART = '(?:,[-–—]{1,2})?';
/** A written amount, possibly with a large number such as "Mio." after it. */
type Amount = { readonly number: string; readonly scale?: string | undefined };

/** Returns the rules for amounts of money with the sign before or after them. */
export function moneyRules(grammar: Grammar): SpokenForm[] {
  const bySign = new Map<string, Currency>();
  for (const currency of grammar.money.currencies) {
    for (const sign of currency.signs) bySign.set(sign, currency);
  }
  const signs = anyOf(bySign.keys());
  const scales = anyOf(grammar.scales.keys()) || '(?!)';
  const say = (match: RegExpExecArray, sign: string, amount: Amount) => {
    const currency = bySign.get(sign);
    if (!currency) return undefined;
    // The full stop of "kr." may also end the text.
    const rest = contextOf(match).behind.trim();
    const stop = match[0].endsWith('.') && rest === '' ? '.' : '';
    return setApart(match, amountInWords(match, amount, { grammar, currency }) + stop);
  };
  return [
    {
      pattern: new RegExp(
        `(?<!\\p{L}|\\d\\s?)(${signs})\\s?(${NUMBER})${NO_PART}(?: ?(${scales})(?!\\p{L}))?`,
        'gu',
      ),
      say: (match) => say(match, match[1]!, { number: match[2]!, scale: match[3] }),
    },
    {
      pattern: new RegExp(
        `${ALONE}(${NUMBER})${NO_PART}(?: ?(${scales}))?(?: ?de(?= ))?\\s?(${signs})(?!\\p{L})`,
        'gu',
      ),
      say: (match) => say(match, match[3]!, { number: match[1]!, scale: match[2] }),
    },
    {
      // 3,5 Mio. Menschen
      pattern: new RegExp(`${ALONE}(${NUMBER}) ?(${scales})(?!\\p{L})`, 'gu'),
      say: (match) => {
        const scale = grammar.scales.get(match[2]!);
        return scale && counted(match[1]!, scale, { grammar, before: contextOf(match).before });
      },
    },
    {
      // The sign alone
      pattern: new RegExp(
        `(?<![\\p{L}\\d])(${anyOf([...bySign.keys()].filter((sign) => /^[^\p{L}]+$/u.test(sign)))})(?![\\p{L}\\d])`,
        'gu',
      ),
      say: (match) => bySign.get(match[1]!)?.unit.forms.get('many'),
    },
  ];
}

function amountInWords(
  match: RegExpExecArray,
  { number, scale }: Amount,
  { grammar, currency }: { readonly grammar: Grammar; readonly currency: Currency },
): string {
  const where = { grammar, before: contextOf(match).before };
  const { unit, part } = currency;
  const large = scale === undefined ? undefined : grammar.scales.get(scale);
  if (large) {
    const many = unit.forms.get('many') ?? '';
    return `${counted(number, large, where)} ${ofNoun(many, grammar)}${many}`;
  }
  const { digits, decimals } = parseNumber(number);
  if (decimals === '' || decimals.length > 2 || !part) return counted(number, unit, where);
  const cents = String(Number(decimals.padEnd(2, '0')));
  const units = counted(String(Number(digits)), unit, where);
  if (cents === '0') return units;
  const inParts = counted(cents, part, where);
  if (Number(digits) === 0) return inParts;
  const { join, namesParts } = grammar.money;
  if (namesParts === 'below-ten' && cents.length === 1) {
    return `${units} ${grammar.words.and} ${inParts}`;
  }
  if (namesParts === true) return `${units}${join}${inParts}`;
  return `${units}${join}${numberInWords(parseNumber(cents), grammar)}`;
}
