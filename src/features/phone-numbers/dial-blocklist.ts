/** No subscriber's number with its country code is shorter: these are services of a country, 911 among them. */
const MIN_DIGITS = 7;

/** Numbers that are never called. */
export class DialBlocklist {
  readonly #isShortRefused: boolean;
  readonly #exact: ReadonlySet<string>;
  readonly #beginnings: readonly string[];

  /** @param patterns items of the setting OUTBOUND_REFUSED_NUMBERS */
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
