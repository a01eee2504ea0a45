/** Something that the real carrier would refuse, or that its caller would hear. */
export interface ProtocolViolation {
  /** The carrier's own number where it has one, such as `twilio-31924`. */
  readonly code: string;
  /** What was wrong; without what was in it. */
  readonly what: string;
  readonly atMs: number;
}

/** More of one kind say nothing new. */
const KEPT_OF_A_KIND = 3;

/** What a gateway did wrong in one call. */
export class CallFaults {
  readonly #list: ProtocolViolation[] = [];
  readonly #counts = new Map<string, number>();

  /** The first few of each kind. */
  get list(): readonly ProtocolViolation[] {
    return this.#list;
  }

  add(code: string, what: string, atMs: number): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= KEPT_OF_A_KIND) this.#list.push({ code, what, atMs });
  }
}
