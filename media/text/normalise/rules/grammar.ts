import type { Language } from '../../../languages.js';
import type { SpokenForm } from '../../aligned-text.js';
import type { MoneyStyle, NormaliserWords } from '../word-lists/normaliser-words.js';

/** Grammatical gender: masculine, feminine, neuter. */
export type Gender = 'm' | 'f' | 'n';

/** A noun after a number. */
export interface Noun {
  /** Form for each plural category of `Intl.PluralRules`. */
  readonly forms: ReadonlyMap<Intl.LDMLPluralRule, string>;
  readonly gender: Gender;
}

/** Signs and names of a currency. */
export interface Currency {
  readonly signs: readonly string[];
  readonly unit: Noun;
  /** A hundredth of the unit. */
  readonly part?: Noun;
}

interface WrittenDate {
  readonly day: number;
  /** 1–12. */
  readonly month: number;
  readonly year?: number;
  /** The text before the date, which may decide its grammatical case. */
  readonly before: string;
}

interface WrittenTime {
  readonly hour: number;
  readonly minute: number;
  readonly before: string;
}

/** A `NormaliserWords` with parsed nouns, months and letters. */
type Forms = Omit<
  NormaliserWords,
  'months' | 'shortMonths' | 'money' | 'scales' | 'moreUnits' | 'letters' | 'fractions'
> & {
  readonly months: readonly string[];
  /** For each month its variants, separated by `|`; empty without variants. */
  readonly shortMonths: readonly string[];
  readonly money: MoneyStyle & { readonly currencies: readonly Currency[] };
  readonly scales: ReadonlyMap<string, Noun>;
  readonly moreUnits: ReadonlyMap<string, Noun>;
  /** Name of each lower-case letter. */
  readonly letters: ReadonlyMap<string, string>;
  readonly fractions: Readonly<Record<number, string>>;
};

/** Words and rules of one language for the shared rules. */
export interface Grammar extends Forms {
  readonly language: Language;
  /** Rules of this language only, such as ordinals, years and centuries. */
  readonly own: readonly SpokenForm[];
  /**
   * Returns a cardinal number in words.
   * @param value - an integer, 0…10¹⁵ − 1
   * @param gender - of the noun after the number; undefined without a noun
   */
  cardinal(value: number, gender?: Gender): string;
  /**
   * Returns a year in words; undefined if it is spoken like other numbers.
   * @param value - a number of four digits
   * @param behind - the text after it
   */
  year?(value: number, behind: string): string | undefined;
  /** Returns a number with decimals in words; undefined if the decimals are spoken digit by digit. */
  decimal?(whole: number, decimals: string): string | undefined;
  /** Returns the genitive of a cardinal number, for languages with cases; undefined if it has none. */
  genitive?(value: number, gender?: Gender): string | undefined;
  /** Whether the text before a number ends with a preposition that requires the genitive. */
  asksGenitive?(before: string): boolean;
  /** Returns the gender of the word after a number; undefined if it is not a noun. */
  genderOf?(word: string, value: number): Gender | undefined;
  /** Returns a proper fraction in words; undefined if the language has no short form for it. */
  fraction(over: number, under: number): string | undefined;
  /** Returns a date in words. */
  date(date: WrittenDate): string;
  /** Returns a time of day in words. */
  time(time: WrittenTime): string;
}

/** Parses the nouns, months and letters of a language. */
export function loadForms(lists: NormaliserWords): Forms {
  const { months, shortMonths, money, scales, moreUnits, letters, fractions = {} } = lists;
  return {
    ...lists,
    months: months.split(' '),
    shortMonths: shortMonths.split(' ').map((name) => (name === '-' ? '' : name)),
    money: { ...money, currencies: money.currencies.map(currencyOf) },
    scales: nounsOf(scales),
    moreUnits: nounsOf(moreUnits),
    letters: letterNames(letters),
    fractions,
  };
}

/** Creates a noun. @param forms - one form, `one|other`, or `one|few|many|other` */
export function noun(forms: string, gender: Gender): Noun {
  const [one = '', second = one, many, other] = forms.split('|');
  const byRule: [Intl.LDMLPluralRule, string][] = [
    ['one', one],
    ['few', second],
    ['many', many ?? second],
    ['other', other ?? second],
  ];
  return { forms: new Map(byRule), gender };
}

function nounsOf(texts: Readonly<Record<string, string>>): ReadonlyMap<string, Noun> {
  return new Map(Object.entries(texts).map(([sign, text]) => [sign, parseNoun(text)]));
}

function currencyOf(line: string): Currency {
  const [signs = '', unit = '', part] = line.split(' = ');
  return {
    signs: signs.split(' '),
    unit: parseNoun(unit),
    ...(part ? { part: parseNoun(part) } : {}),
  };
}

function parseNoun(text: string): Noun {
  const gender = text.charAt(0);
  return noun(text.slice(2), gender === 'f' || gender === 'n' ? gender : 'm');
}

function letterNames(names: string): ReadonlyMap<string, string> {
  return new Map(
    names.split(' ').map((pair) => {
      const [letter = '', name = ''] = pair.split(':');
      return [letter, name.replaceAll('_', ' ')];
    }),
  );
}
