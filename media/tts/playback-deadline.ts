/**
 * When the playback of a stream of speech runs out, if it started with the stream and runs in real time.
 * Streams with the earliest deadline are synthesised first.
 */
export class PlaybackDeadline {
  #playbackEndAt: number;

  /** @param now - milliseconds of `performance.now()` */
  constructor(now = performance.now()) {
    this.#playbackEndAt = now;
  }

  /** The time at which playback runs out; `now` if it has run out already. */
  dueAt(now = performance.now()): number {
    this.#playbackEndAt = Math.max(this.#playbackEndAt, now);
    return this.#playbackEndAt;
  }

  /** Adds the duration of new speech, in ms. */
  add(durationMs: number): void {
    this.#playbackEndAt += durationMs;
  }
}
