import { putNewest } from '../../../media/async/bounded-map.js';

/** Marks that the carrier has not returned; of more, the oldest are forgotten. */
const MAX_MARKS = 64;

/** Positions of the agent's audio (ms) behind which the carrier was sent a mark, in the order of sending. */
export class CarrierMarks {
  readonly #positions = new Map<string, number>();
  #number = 0;

  get isEmpty(): boolean {
    return this.#positions.size === 0;
  }

  /** @returns the new mark's name. */
  add(positionMs: number): string {
    const name = `p${++this.#number}`;
    putNewest(this.#positions, name, positionMs, MAX_MARKS);
    return name;
  }

  /** The mark's position, if it is awaited; older marks are forgotten with it. */
  take(name: string): number | undefined {
    const positionMs = this.#positions.get(name);
    if (positionMs === undefined) return undefined;
    for (const [older] of this.#positions) {
      this.#positions.delete(older);
      if (older === name) break;
    }
    return positionMs;
  }

  clear(): void {
    this.#positions.clear();
  }
}
