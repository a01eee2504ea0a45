/** A number with digits, or the beginning of some numbers with a star behind it. */
export const BLOCKLIST_PATTERN = /^(short|\+[1-9]\d{0,14}\*?)$/;

/** No subscriber's number with its country code is shorter: these are services of a country, 911 among them. */
const MIN_DIGITS = 7;

/**
 * What no agent calls unless the operator says otherwise: short numbers, among which are those of
 * emergencies in every country; numbers of emergencies as people write them; and numbers by which
 * others earn money. Source: the national numbering plans; ITU-T E.164 annexes for +8…, +979.
 */
export const DEFAULT_BLOCKLIST: readonly string[] = [
  'short',
  // emergencies, written with and without a country code
  ...['+112', '+911', '+999', '+1911', '+44999', '+44112', '+49110', '+49112', '+3315', '+33112'],
  // premium rates: North America, United Kingdom, Ireland
  ...['+1900*', '+449*', '+44871*', '+44872*', '+44873*', '+4470*', '+35315*'],
  // Germany, Austria, Switzerland, France, Belgium, the Netherlands
  ...['+49900*', '+49137*', '+43900*', '+43901*', '+43930*', '+43931*'],
  ...['+41900*', '+41901*', '+41906*', '+3389*', '+3290*', '+31900*', '+31906*', '+31909*'],
  // Spain, Portugal, Italy, Poland, Sweden, Russia, Australia
  ...['+34803*', '+34806*', '+34807*', '+34905*', '+34907*', '+351760*', '+351761*', '+351762*'],
  ...['+39892*', '+39894*', '+39895*', '+39899*', '+4870*', '+46900*', '+46939*', '+46944*'],
  ...['+7803*', '+7809*', '+6119*'],
  // satellites, international networks and international premium rate
  ...['+870*', '+881*', '+882*', '+883*', '+979*'],
];

/** Numbers that are never called. */
export class DialBlocklist {
  readonly #isShortRefused: boolean;
  readonly #exact: ReadonlySet<string>;
  readonly #beginnings: readonly string[];

  /** @param patterns each as BLOCKLIST_PATTERN has it; `short` for all of fewer than seven digits. */
  constructor(patterns: readonly string[]) {
    this.#isShortRefused = patterns.includes('short');
    this.#exact = new Set(patterns);
    this.#beginnings = patterns
      .filter((pattern) => pattern.endsWith('*'))
      .map((pattern) => pattern.slice(0, -1));
  }

  /** @param phoneNumber E.164 */
  has(phoneNumber: string): boolean {
    if (this.#isShortRefused && phoneNumber.length - 1 < MIN_DIGITS) return true;
    if (this.#exact.has(phoneNumber)) return true;
    return this.#beginnings.some((beginning) => phoneNumber.startsWith(beginning));
  }
}
