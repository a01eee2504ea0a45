import type { Language } from '../../../languages.js';

/** Words for signs between numbers. */
interface SignWords {
  readonly minus: string;
  readonly plus: string;
  readonly times: string;
  readonly equals: string;
  readonly over: string;
  /** Between the numbers of a range. */
  readonly to: string;
  readonly comma: string;
  readonly point: string;
  readonly and: string;
  readonly number: string;
  readonly paragraph: string;
}

/** Notations of the time of day other than "14:30". */
interface ClockStyle {
  /** Words after a time that are part of it: "Uhr". */
  readonly suffixes: readonly string[];
  /** Words after which "9.05" is a time: "kl.". */
  readonly prefixes: readonly string[];
  /** "14h30", "14 h". */
  readonly hasHourLetter: boolean;
}

/** How amounts of money are spoken. */
export interface MoneyStyle {
  /** Between units and hundredths, with its spaces. */
  readonly join: string;
  /**
   * Whether hundredths are named after units. "One euro five" may mean fifty, so some languages name those below ten.
   */
  readonly namesParts: boolean | 'below-ten';
  /** Between "millions" and the currency. */
  readonly of: string;
}

/** How a half is spoken with masculine and with feminine nouns. */
interface Half {
  /** After a number, or after the noun that it counts: " y medio", " y media". */
  readonly behind: readonly [string, string];
  /** Before the noun. */
  readonly alone: readonly [string, string];
}

/**
 * Words of one language for the shared rules of the normaliser: data only, without logic.
 *
 * A noun is written as its gender (`m`, `f` or `n`), a space and its forms: one form, `one|other`, or
 * `one|few|many|other` (plural categories of CLDR).
 */
export interface NormaliserWords {
  readonly language: Language;
  readonly words: SignWords;
  /** Whether two digits after the decimal comma are read as one number. */
  readonly pairsDecimals: boolean;
  /** Twelve names as in a date, with spaces between. */
  readonly months: string;
  /** Twelve short names with spaces between; `|` separates variants, `-` means none. */
  readonly shortMonths: string;
  readonly clock: ClockStyle;
  /** A currency is "signs = unit = hundredth", both nouns: "€ EUR = m euro|euros = m céntimo|céntimos". */
  readonly money: MoneyStyle & { readonly currencies: readonly string[] };
  /** Large numbers after digits: "Mio." → a noun. */
  readonly scales: Readonly<Record<string, string>>;
  /** Signs of units in addition to the international ones → CLDR's name of the unit. */
  readonly unitSigns: Readonly<Record<string, string>>;
  /** Signs of units that Intl lacks → a noun. */
  readonly moreUnits: Readonly<Record<string, string>>;
  /** Names of the letters as "a:a b:be"; an underscore is a space. */
  readonly letters: string;
  /** Written → spoken. A key that ends in `#` applies only before a number. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Acronyms with vowels that are spelt nevertheless; "IBAN:Iban" gives a spoken form instead. */
  readonly acronyms: readonly string[];
  /** Telephone numbers that are recognisable without a sign. */
  readonly phones: readonly RegExp[];
  /** Whether telephone numbers are read as two-digit numbers. */
  readonly pairsPhones: boolean;
  /** Set if a half is not spoken like other fractions. */
  readonly half?: Half;
  /** Names of fractions by their denominator. */
  readonly fractions?: Readonly<Record<number, string>>;
}
