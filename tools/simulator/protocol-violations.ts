/** A message that the real carrier would refuse, or that its caller would hear as a fault. */
export interface ProtocolViolation {
  /** With the carrier's own error number if it has one, such as `twilio-31924`. */
  readonly code: string;
  /** The fault, without message contents. */
  readonly what: string;
  readonly atMs: number;
}

/** Further violations with the same code are dropped. */
const MAX_PER_CODE = 3;

/** The protocol violations of a gateway in one call. */
export class ProtocolViolations {
  readonly #list: ProtocolViolation[] = [];
  readonly #counts = new Map<string, number>();

  /** The first three of each code. */
  get list(): readonly ProtocolViolation[] {
    return this.#list;
  }

  add(code: string, what: string, atMs: number): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= MAX_PER_CODE) this.#list.push({ code, what, atMs });
  }
}
