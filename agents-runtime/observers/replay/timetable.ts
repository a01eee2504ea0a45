import type { Timer } from '../../contract/clock.js';

/** What is due at a moment of a time that is not the world's. */
interface Entry {
  readonly at: number;
  readonly order: number;
  readonly act: () => unknown;
}

/** Things that are due, in order: by their time, and at the same moment as they were asked for. */
export class TimerQueue {
  #order = 0;
  readonly #entries = new Set<Entry>();

  /** How many are still due. */
  get size(): number {
    return this.#entries.size;
  }

  add(at: number, act: () => unknown): Timer {
    const entry: Entry = { at, order: this.#order++, act };
    this.#entries.add(entry);
    return { cancel: () => this.#entries.delete(entry) };
  }

  /** When the first is due; undefined when nothing is. */
  get nextAt(): number | undefined {
    return this.#first()?.at;
  }

  /** Takes the first one out. */
  take(): Entry | undefined {
    const first = this.#first();
    if (first) this.#entries.delete(first);
    return first;
  }

  #first(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (!first || entry.at < first.at || (entry.at === first.at && entry.order < first.order)) {
        first = entry;
      }
    }
    return first;
  }
}
