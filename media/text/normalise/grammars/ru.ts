import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { contextOf } from '../rules/number-text.js';
import { ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { RUSSIAN_TABLES, RUSSIAN_WORDS } from '../word-lists/ru.js';
import {
  type RussianOrdinalForm,
  russianCardinal,
  russianGenitive,
  russianOrdinal,
} from './ru-numbers.js';

const FORMS = loadForms(RUSSIAN_WORDS);
const DECIMAL_PARTS = RUSSIAN_TABLES.decimalParts;
const YEARS: Readonly<Record<string, RussianOrdinalForm>> = RUSSIAN_TABLES.years;
const WRITTEN_ENDINGS: Readonly<Record<string, RussianOrdinalForm>> = RUSSIAN_TABLES.writtenEndings;

/** Prepositions that require the genitive: "с 9 до 18". */
const GENITIVE =
  /(?:^|[^\p{L}])(?:от|до|из|без|для|около|после|более|менее|больше|меньше|не менее|не более|свыше|с|со|у) $/iu;
const FUNCTION_WORD =
  /^(?:и|или|в|на|по|от|до|из|с|со|за|к|о|не|но|а|что|как|это|для|при|из-за|минус|плюс|процент\p{L}*|запятая|точка)$/u;

/** Returns the gender by the ending of a noun after one and two. Source: Розенталь, § 164. */
function genderOf(word: string, value: number): Gender | undefined {
  const small = word.toLowerCase();
  if (FUNCTION_WORD.test(small) || !/^\p{Script=Cyrillic}/u.test(small)) return undefined;
  const last = value % 10;
  if (value % 100 > 10 && value % 100 < 15) return undefined;
  if (last === 1) {
    if (/[ая]$/.test(small)) return 'f';
    return /[ое]$/.test(small) ? 'n' : 'm';
  }
  return last === 2 && /[ыи]$/.test(small) ? 'f' : 'm';
}

const OWN: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])(\d{3,4}) ?(год(?:а|у|ом|е|ы|ов)?|гг?\.)(?!\p{L})/gu,
    say: (match) => {
      const [, digits, word = ''] = match;
      if (word === 'гг.') return `${russianOrdinal(Number(digits), 'plural')} годы`;
      if (word !== 'г.')
        return `${russianOrdinal(Number(digits), YEARS[word] ?? 'masculine')} ${word}`;
      const isIn = /(?:^|[^\p{L}])(?:в|во|о) $/iu.test(contextOf(match).before);
      const [form, year] = isIn
        ? (['prepositional', 'году'] as const)
        : (['genitive', 'года'] as const);
      return `${russianOrdinal(Number(digits), form)} ${year}`;
    },
  },
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,])(\\d{1,4})-(${Object.keys(WRITTEN_ENDINGS)
        .sort((a, b) => b.length - a.length)
        .join('|')})(?!\\p{L})`,
      'gu',
    ),
    say: (match) => {
      const [, digits, ending = ''] = match;
      const form = WRITTEN_ENDINGS[ending];
      const value = Number(digits);
      // "4-х" is a cardinal (source: Розенталь, § 165), "90-е" are years.
      if (ending === 'х' && value > 1 && value < 5) return russianGenitive(value);
      const isDecade = value % 10 === 0 && (value > 1000 || (value < 100 && value > 10));
      const isPlural =
        ending === 'е' && (isDecade || /^ годы(?!\p{L})/u.test(contextOf(match).behind));
      return form && russianOrdinal(value, isPlural ? 'plural' : form);
    },
  },
  {
    pattern: new RegExp(`(?<!\\p{L})${ROMAN_NUMERAL}(?= век(а|е|у)?(?!\\p{L}))`, 'gu'),
    say: ([numeral, ending]) => {
      const forms = { а: 'genitive', е: 'prepositional', у: 'dative' } as const;
      return russianOrdinal(
        romanValue(numeral),
        forms[ending as keyof typeof forms] ?? 'masculine',
      );
    },
  },
];

/** Returns "две целых пять десятых". Source: Розенталь, дробные числительные. */
function decimal(whole: number, decimals: string): string | undefined {
  const part = DECIMAL_PARTS[decimals.length];
  if (!part || Number(decimals) === 0) return undefined;
  const ending = (value: number) => (value % 10 === 1 && value % 100 !== 11 ? 'ая' : 'ых');
  const wholes = ending(whole) === 'ая' ? 'целая' : 'целых';
  const over = Number(decimals);
  const head = whole === 0 ? 'ноль' : russianCardinal(whole, 'f');
  return `${head} ${wholes} ${russianCardinal(over, 'f')} ${part}${ending(over)}`;
}

/** The grammar of Russian. Source: Розенталь, Справочник по правописанию; Грамота.ру; CLDR rbnf/ru.xml. */
export const RUSSIAN: Grammar = {
  ...FORMS,
  own: OWN,
  cardinal: russianCardinal,
  genitive: russianGenitive,
  asksGenitive: (before) => GENITIVE.test(before),
  decimal,
  genderOf,
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'одна вторая' : undefined;
    if (under > 100) return undefined;
    const isOne = over % 10 === 1 && over % 100 !== 11;
    return `${russianCardinal(over, 'f')} ${russianOrdinal(under, isOne ? 'feminine' : 'plural-genitive')}`;
  },
  date: ({ day, month, year }) => {
    const words = [russianOrdinal(day, 'genitive'), FORMS.months[month - 1]];
    if (year !== undefined) words.push(russianOrdinal(year, 'genitive'), 'года');
    return words.join(' ');
  },
  time: ({ hour, minute, before }) => {
    const isGenitive = GENITIVE.test(before);
    const hours = isGenitive ? russianGenitive(hour) : russianCardinal(hour);
    if (minute > 0) {
      const rest = isGenitive ? russianGenitive(minute) : russianCardinal(minute);
      return `${hours} ${minute < 10 ? 'ноль ' : ''}${rest}`;
    }
    const rule = new Intl.PluralRules('ru').select(hour);
    if (isGenitive) return `${hours} ${rule === 'one' ? 'часа' : 'часов'}`;
    return `${hours} ${rule === 'one' ? 'час' : rule === 'few' ? 'часа' : 'часов'}`;
  },
};
