import { FRAME_MS } from './frame-ticker.js';

/** What lies behind the playhead and is kept: a wire that died is noticed after up to 4 s. */
const KEPT_MS = 5000;

interface SentFrame {
  /** Its position in the agent's audio. */
  readonly atMs: number;
  readonly samples: Float32Array;
}

/** The frames that a client may not have heard yet, in case it needs them again. */
export class SentFrames {
  readonly #frames: SentFrame[] = [];
  /** Of the first frame that was not told of. */
  #next = 0;

  /** @param samples are the receiver's from now on. */
  push(atMs: number, samples: Float32Array): void {
    this.#frames.push({ atMs, samples });
  }

  /** Those whose sound reaches beyond a position. */
  beyond(positionMs: number): readonly SentFrame[] {
    return this.#frames.filter(({ atMs }) => atMs + FRAME_MS > positionMs);
  }

  /** Those that begin at a position or behind it. */
  from(positionMs: number): readonly SentFrame[] {
    return this.#frames.filter(({ atMs }) => atMs >= positionMs);
  }

  /** Tells of each frame, once, when a position lies behind its beginning. */
  tellUpTo(positionMs: number, tell: (frame: SentFrame) => void): void {
    for (let i = this.#next; i < this.#frames.length; i++) {
      const frame = this.#frames[i]!;
      if (frame.atMs >= positionMs) return;
      this.#next = i + 1;
      tell(frame);
    }
  }

  /** Forgets what the playhead has left far behind. */
  trim(playedMs: number): void {
    const stale = this.#frames.findIndex(({ atMs }) => atMs >= playedMs - KEPT_MS);
    const count = stale < 0 ? this.#frames.length : stale;
    this.#frames.splice(0, count);
    this.#next = Math.max(0, this.#next - count);
  }

  clear(): void {
    this.#frames.length = 0;
    this.#next = 0;
  }
}
