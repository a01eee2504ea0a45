import type { Language } from '../../../languages.js';
import type { SpokenForm } from '../../aligned-text.js';

export type Gender = 'm' | 'f' | 'n';

/** A noun as it stands behind a number. */
export interface Noun {
  /** By plural category (Source: CLDR plural rules, which Intl.PluralRules has). */
  readonly forms: ReadonlyMap<Intl.LDMLPluralRule, string>;
  readonly gender: Gender;
}

/** Money, by the signs that it is written with. */
export interface Currency {
  readonly signs: readonly string[];
  readonly unit: Noun;
  /** The hundredth. */
  readonly part?: Noun;
}

/** A day of the calendar. */
interface WrittenDate {
  readonly day: number;
  /** 1–12. */
  readonly month: number;
  readonly year?: number;
  /** What stands before it, as that may decide the case. */
  readonly before: string;
}

/** A time of day. */
interface WrittenTime {
  readonly hour: number;
  readonly minute: number;
  readonly before: string;
}

/** How times of day are written besides "14:30". */
interface ClockStyle {
  /** Words behind a time, which are said with it: "Uhr". */
  readonly suffixes: readonly string[];
  /** Words before which make "9.05" a time: "kl.". */
  readonly prefixes: readonly string[];
  /** "14h30", "14 h". */
  readonly hasHourLetter: boolean;
}

/** The words that stand for signs between numbers. */
interface SignWords {
  readonly minus: string;
  readonly plus: string;
  readonly times: string;
  readonly equals: string;
  readonly over: string;
  /** From the first number of a range to the second. */
  readonly to: string;
  readonly comma: string;
  readonly point: string;
  readonly and: string;
  readonly number: string;
  readonly paragraph: string;
}

interface MoneyStyle {
  readonly currencies: readonly Currency[];
  /** Between units and hundredths, with its spaces. */
  readonly join: string;
  /** Whether hundredths are named behind units: "one euro five" may be fifty, so some name those below ten. */
  readonly namesParts: boolean | 'below-ten';
  /** Between "millions" and the currency. */
  readonly of: string;
}

/** How a half is said, for masculine and feminine nouns. */
interface Half {
  /** Behind a number, or behind the noun that it counts: " y medio", " y media". */
  readonly behind: readonly [string, string];
  /** Before the noun. */
  readonly alone: readonly [string, string];
}

/** What the shared rules need to know of one language. */
export interface Grammar {
  readonly language: Language;
  readonly words: SignWords;
  /** Two digits behind the decimal comma are read as one number. */
  readonly pairsDecimals: boolean;
  /** Names of the months as they are said in a date. */
  readonly months: readonly string[];
  /** How months are written too: short forms by the month's number. */
  readonly shortMonths: readonly string[];
  readonly clock: ClockStyle;
  readonly money: MoneyStyle;
  /** Large numbers beside figures: "Mio." → Million, Millionen. */
  readonly scales: ReadonlyMap<string, Noun>;
  /** Signs of units that stand besides the international ones, as CLDR names them. */
  readonly unitSigns: Readonly<Record<string, string>>;
  /** Units that CLDR's list in Intl lacks. */
  readonly moreUnits: Readonly<Record<string, Noun>>;
  /** Names of letters by the small letter. */
  readonly letters: ReadonlyMap<string, string>;
  /** Written → said; a key that ends in # is one only before a number. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Acronyms with vowels that are spelt all the same; a word behind a colon says how. */
  readonly acronyms: readonly string[];
  /** Telephone numbers that need no sign to be known as such. */
  readonly phones: readonly RegExp[];
  /** Telephone numbers are read as two-digit numbers. */
  readonly pairsPhones: boolean;
  /** Ordinals, years, centuries and what else only this language has. */
  readonly own: readonly SpokenForm[];
  /** @param gender of the noun behind it; without one the number stands alone. */
  cardinal(value: number, gender?: Gender): string;
  /** A number of four digits that counts nothing, where that is said otherwise. */
  year?(value: number, behind: string): string | undefined;
  /** Numbers with decimals, where they are no mere row of digits. */
  decimal?(whole: number, decimals: string): string | undefined;
  /** The number in the case that a preposition asks for. */
  genitive?(value: number, gender?: Gender): string | undefined;
  /** Whether the words before a number ask for that case. */
  asksGenitive?(before: string): boolean;
  /** Of a word behind a number; nothing for what is no noun. */
  genderOf?(word: string, value: number): Gender | undefined;
  fraction(over: number, under: number): string | undefined;
  /** Where a half is no mere fraction. */
  readonly half?: Half;
  date(date: WrittenDate): string;
  time(time: WrittenTime): string;
}

/** `forms`: one form, or one|other, or one|few|many|other. */
export function noun(forms: string, gender: Gender = 'm'): Noun {
  const [one = '', second = one, many, other] = forms.split('|');
  const byRule: [Intl.LDMLPluralRule, string][] = [
    ['one', one],
    ['few', second],
    ['many', many ?? second],
    ['other', other ?? second],
  ];
  return { forms: new Map(byRule), gender };
}

/** Currencies from lines of signs, unit and hundredth: "€ EUR = m euro|euros = m céntimo|céntimos". */
export function currencies(lines: readonly string[]): Currency[] {
  return lines.map((line) => {
    const [signs = '', unit = '', part] = line.split(' = ');
    return {
      signs: signs.split(' '),
      unit: gendered(unit),
      ...(part ? { part: gendered(part) } : {}),
    };
  });
}

function gendered(text: string): Noun {
  return noun(text.slice(2), text.slice(0, 1) as Gender);
}

/** Names of letters from "a:a b:be". An underscore is a space. */
export function letterNames(names: string): ReadonlyMap<string, string> {
  return new Map(
    names.split(' ').map((pair) => {
      const [letter = '', name = ''] = pair.split(':');
      return [letter, name.replaceAll('_', ' ')];
    }),
  );
}
