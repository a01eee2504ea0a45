/** What lies behind the playhead and is kept: a client may be told to go back. */
const KEPT_MS = 1_000;

interface Block {
  /** Position of its first sample in the agent's audio. */
  readonly at: number;
  readonly samples: Float32Array;
  readonly sentAt: number;
}

/** The agent's audio on its way to the client's ear, by sample position since the call began. */
export class SentAudio {
  readonly #rate: number;
  readonly #blocks: Block[] = [];
  /** Position behind what was sent. */
  end = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Takes samples, which it copies. */
  push(samples: Float32Array, sentAt: number): void {
    this.#blocks.push({ at: this.end, samples: samples.slice(), sentAt });
    this.end += samples.length;
  }

  /** When the sound at a position, or the first behind it, was sent. */
  sentAt(position: number): number | undefined {
    return this.#blocks.find(({ at, samples }) => at + samples.length > position)?.sentAt;
  }

  /** Tells of the sound between two positions, part by part. */
  read(from: number, to: number, tell: (at: number, samples: Float32Array) => void): void {
    for (const { at, samples } of this.#blocks) {
      const start = Math.max(from, at);
      const part = samples.subarray(start - at, Math.max(start, to) - at);
      if (start < at + samples.length && part.length > 0) tell(start, part);
    }
  }

  /** Forgets what lies so far behind a position that nobody asks for it again. */
  trim(position: number): void {
    const oldest = position - (KEPT_MS * this.#rate) / 1000;
    while (this.#blocks[0] && this.#blocks[0].at + this.#blocks[0].samples.length < oldest) {
      this.#blocks.shift();
    }
  }

  /** What comes next has another position; what was sent from `received` on did not arrive. */
  restart(received: number, next: number): void {
    for (let last = this.#blocks.at(-1); last; last = this.#blocks.at(-1)) {
      if (last.at + last.samples.length <= received) break;
      this.#blocks.pop();
      if (last.at < received) {
        const samples = last.samples.subarray(0, received - last.at);
        this.#blocks.push({ ...last, samples });
      }
    }
    this.end = next;
  }
}
