/**
 * Computes when the playback of a stream runs out of audio, if it starts with the stream and runs in real time. The
 * stream with the earliest deadline is synthesised first.
 */
export class PlaybackDeadline {
  #playbackEndAt: number;

  /** @param now - ms of `performance.now()`; default: the present */
  constructor(now = performance.now()) {
    this.#playbackEndAt = now;
  }

  /** Returns the time at which playback runs out, in ms of `performance.now()`; `now` if it has run out. */
  dueAt(now = performance.now()): number {
    this.#playbackEndAt = Math.max(this.#playbackEndAt, now);
    return this.#playbackEndAt;
  }

  /** Adds the duration of new audio in ms. */
  add(durationMs: number): void {
    this.#playbackEndAt += durationMs;
  }
}
