import type { Clock, Ticker, Timer } from '../../contract/clock.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';

/** Frames that are due at once after a delay; with more, all that follow are later instead. */
const MAX_CONCURRENT = 3;
/** Frames that wait: more than the agent's leg ever sends ahead. */
const MAX_WAITING = 100;

export interface FramePacerOptions {
  readonly clock: Clock;
  readonly ticker: Pick<Ticker, 'join'>;
  readonly frameLength: number;
  readonly send: (frame: Int16Array) => void;
  /** Told the position (ms) up to which what was sent has been heard, if it is heard when it comes. */
  readonly receivedUpTo: (positionMs: number) => void;
}

interface WaitingFrame {
  readonly pcm: Int16Array;
  readonly endMs: number;
}

/**
 * For carriers that play what comes when it comes: each frame goes out at its own time, start +
 * n × 20 ms, by a pulse that does not drift. A thread that was held up for long sends no burst
 * afterwards, which a telephone would play fast or throw away: it goes on where it stopped.
 */
export class FramePacer {
  readonly #options: FramePacerOptions;
  readonly #waiting: WaitingFrame[] = [];
  #tick: Timer | undefined;
  /** The frame that was sent last is being heard, and none follows yet. */
  #last: Timer | undefined;
  #startAt: number | undefined;
  #sent = 0;

  constructor(options: FramePacerOptions) {
    this.#options = options;
  }

  /** Something is still to be sent, or to be heard to its end. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#last !== undefined;
  }

  /** Whole frames, which are copied. @param endMs the position that the last of them reaches. */
  push(pcm: Int16Array, endMs: number): void {
    const { frameLength, ticker } = this.#options;
    const count = pcm.length / frameLength;
    for (let i = 0; i < count && this.#waiting.length < MAX_WAITING; i++) {
      this.#waiting.push({
        pcm: pcm.slice(i * frameLength, (i + 1) * frameLength),
        endMs: endMs - (count - 1 - i) * FRAME_MS,
      });
    }
    this.#tick ??= ticker.join(() => this.#run());
  }

  /** Drops what has not been sent. */
  clear(): void {
    this.#waiting.length = 0;
    this.#last?.cancel();
    this.#last = undefined;
    this.#rest();
  }

  #rest(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
    this.#startAt = undefined;
  }

  #run(): void {
    const { clock, send, receivedUpTo } = this.#options;
    const now = clock.now();
    if (this.#startAt === undefined) {
      this.#startAt = now;
      this.#sent = 0;
    }
    // The pulse comes a little late, or a little less so: what counts is the nearest frame's time.
    let due = Math.round((now - this.#startAt) / FRAME_MS) + 1 - this.#sent;
    if (due > MAX_CONCURRENT) {
      this.#startAt += (due - 1) * FRAME_MS;
      due = 1;
    }
    let endMs: number | undefined;
    for (; due > 0; due--) {
      const frame = this.#waiting.shift();
      if (!frame) break;
      this.#sent++;
      send(frame.pcm);
      endMs = frame.endMs;
    }
    const isLast = this.#waiting.length === 0;
    if (isLast) this.#rest();
    if (endMs === undefined) return;
    receivedUpTo(endMs - FRAME_MS);
    if (!isLast) return;
    this.#last?.cancel();
    this.#last = clock.after(FRAME_MS, () => {
      this.#last = undefined;
      receivedUpTo(endMs);
    });
  }
}
