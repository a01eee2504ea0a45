import type { Clock, Ticker, Timer } from '../../contract/clock.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';

/** Most frames sent at once after a delay. After a longer delay, all later frames are late instead. */
const MAX_BURST = 3;
/** Queued frames: more than playout sends ahead. */
const MAX_WAITING = 100;

export interface FramePacerOptions {
  readonly clock: Clock;
  readonly ticker: Pick<Ticker, 'join'>;
  readonly frameLength: number;
  readonly send: (frame: Int16Array) => void;
  /** Receives the position (ms) that has been played, if frames are played on arrival. */
  readonly onPlayed: (positionMs: number) => void;
}

interface WaitingFrame {
  readonly pcm: Int16Array;
  readonly endMs: number;
}

/**
 * Sends frames to carriers that play them on arrival: each frame at its own time, start + n × 20 ms, without
 * drift. After a long stall of the thread it continues where it stopped, because a telephone would play a burst
 * too fast or drop it.
 */
export class FramePacer {
  readonly #options: FramePacerOptions;
  readonly #waiting: WaitingFrame[] = [];
  #tick: Timer | undefined;
  /** The last frame is being played, and the queue is empty. */
  #last: Timer | undefined;
  #startAt: number | undefined;
  #sent = 0;

  constructor(options: FramePacerOptions) {
    this.#options = options;
  }

  /** Frames are queued, or the last one is still being played. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#last !== undefined;
  }

  /** Copies whole frames into the queue. @param endMs - position at the end of the last frame */
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

  /** Drops the queue. */
  clear(): void {
    this.#waiting.length = 0;
    this.#last?.cancel();
    this.#last = undefined;
    this.#stopTicking();
  }

  #stopTicking(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
    this.#startAt = undefined;
  }

  #run(): void {
    const { clock, send, onPlayed } = this.#options;
    const now = clock.now();
    if (this.#startAt === undefined) {
      this.#startAt = now;
      this.#sent = 0;
    }
    // Ticks have jitter: the nearest frame's time counts.
    let due = Math.round((now - this.#startAt) / FRAME_MS) + 1 - this.#sent;
    if (due > MAX_BURST) {
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
    if (isLast) this.#stopTicking();
    if (endMs === undefined) return;
    onPlayed(endMs - FRAME_MS);
    if (!isLast) return;
    this.#last?.cancel();
    this.#last = clock.after(FRAME_MS, () => {
      this.#last = undefined;
      onPlayed(endMs);
    });
  }
}
