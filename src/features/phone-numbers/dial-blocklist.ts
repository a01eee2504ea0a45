/** Shorter numbers with a country code are services such as 911. */
const MIN_DIGITS = 7;

/** Numbers that agents must not call. */
export class DialBlocklist {
  readonly #blocksShortNumbers: boolean;
  readonly #exact: ReadonlySet<string>;
  readonly #prefixes: readonly string[];

  /** @param patterns - items of the setting OUTBOUND_REFUSED_NUMBERS */
  constructor(patterns: readonly string[]) {
    this.#blocksShortNumbers = patterns.includes('short');
    this.#exact = new Set(patterns);
    this.#prefixes = patterns
      .filter((pattern) => pattern.endsWith('*'))
      .map((pattern) => pattern.slice(0, -1));
  }

  /** @param phoneNumber - E.164 */
  has(phoneNumber: string): boolean {
    if (this.#blocksShortNumbers && phoneNumber.length - 1 < MIN_DIGITS) return true;
    if (this.#exact.has(phoneNumber)) return true;
    return this.#prefixes.some((beginning) => phoneNumber.startsWith(beginning));
  }
}
