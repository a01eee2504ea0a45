import type { SpokenForm } from '../../aligned-text.js';
import type { Grammar } from './grammar.js';
import { ALONE, anyOf, contextOf } from './number-text.js';

/** Signs and words between a day and a month: marks of an ordinal, prepositions. */
const DAY_SIGN = '(?:\\.|er|r|n|t|è|º|ª|\\.º|°|-?го|:[ae]|:e)?';
const OF = "(?:de |d'|di )?";
/** The word "year" after a date; `Grammar.date` adds it again. */
const YEAR_SIGN = '(?: ?(?:г\\.|года|год|г(?!\\p{L})|r\\.|roku|r(?!\\p{L})))?';

/** Returns the rules for numeric dates and for dates with the name of the month. */
export function dateRules(grammar: Grammar): SpokenForm[] {
  const say = (match: RegExpExecArray, figures: readonly [string, string, string?]) => {
    const [day, month, year] = figures;
    const date = { day: Number(day), month: Number(month), before: contextOf(match).before };
    if (date.day < 1 || date.day > 31 || date.month < 1 || date.month > 12) return undefined;
    return grammar.date(year === undefined ? date : { ...date, year: fullYear(year) });
  };
  const names = monthNumbers(grammar);
  const isSlavic = grammar.language === 'ru' || grammar.language === 'pl';
  const yearSign = isSlavic ? YEAR_SIGN : '';
  return [
    {
      pattern: new RegExp(
        `(?<![\\p{L}\\d./-])(\\d{4})(?:([-/])(\\d{1,2})\\2(\\d{1,2})|\\.(\\d{2})\\.(\\d{2}))(?![\\d/-]|\\.\\d)${yearSign}`,
        'gu',
      ),
      say: (match) => say(match, [(match[4] ?? match[6])!, (match[3] ?? match[5])!, match[1]!]),
    },
    {
      pattern: new RegExp(
        `(?<![\\p{L}\\d./-])(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4}|\\d{2})(?![\\d/-]|\\.\\d)${yearSign}`,
        'gu',
      ),
      say: (match) =>
        match[2] === '-' && match[4]!.length === 2
          ? undefined
          : say(match, [match[1]!, match[3]!, match[4]!]),
    },
    {
      pattern: new RegExp(
        `${ALONE}(\\d{1,2})${DAY_SIGN} ${OF}(${anyOf(names.keys())})(?!\\p{L})(?:\\.(?= ?[\\p{Ll}\\d,]))?(?:,? (?:de |del )?(\\d{4})(?![\\d.,]*\\d)${yearSign})?`,
        'giu',
      ),
      say: (match) => {
        const month = names.get(match[2]!.toLowerCase());
        return month === undefined ? undefined : say(match, [match[1]!, String(month), match[3]]);
      },
    },
  ];
}

/** "24" → 2024, "78" → 1978. */
function fullYear(year: string): number {
  const value = Number(year);
  if (year.length > 2) return value;
  return value > 30 ? 1900 + value : 2000 + value;
}

function monthNumbers({ months, shortMonths }: Grammar): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const names of [months, shortMonths]) {
    for (const [i, name] of names.entries()) {
      for (const form of name.split('|')) numbers.set(form.toLowerCase(), i + 1);
    }
  }
  numbers.delete('');
  return numbers;
}
