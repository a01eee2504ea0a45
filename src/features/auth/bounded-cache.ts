import { putNewest } from '../../../media/async/bounded-map.js';

/** Keeps the latest values for a short while: at most `limit` of them, each at most `ttlMs` old. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly atMs: number }>();
  readonly #limit: number;
  readonly #ttlMs: number;

  constructor(limit: number, ttlMs: number) {
    this.#limit = limit;
    this.#ttlMs = ttlMs;
  }

  get(name: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const ageMs = nowMs - entry.atMs;
    // A clock that was set back makes ages negative: such an entry is not trusted either.
    if (ageMs >= 0 && ageMs < this.#ttlMs) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: Value, nowMs: number): void {
    putNewest(this.#entries, name, { value, atMs: nowMs }, this.#limit);
  }

  clear(): void {
    this.#entries.clear();
  }
}
