/** Maximum growth of the audio buffer in samples: 10 s at 24 kHz. */
const GROWTH = 240_000;

/**
 * A browser's player: plays the agent's audio by its own clock, pauses, resumes from a position and
 * clears its buffer. All received and played audio is kept for comparison sample by sample.
 */
export class CallPlayer {
  /** Sample rate in Hz, set by `ready`. */
  rate = 24_000;
  /** Played parts: position in the agent's audio, samples, and time in ms since the epoch. */
  readonly playedParts: {
    readonly at: number;
    readonly samples: Int16Array;
    readonly atMs: number;
  }[] = [];
  /** Differences in samples between the position in `resume` and the playhead. */
  readonly resumeErrors: number[] = [];
  /** Arrival times of audio, in ms since the epoch. */
  readonly arrivedAt: number[] = [];
  /** Samples lost with a broken connection and not sent again. */
  lostSamples = 0;
  #store = new Int16Array(GROWTH);
  /** Positions in samples of the agent's audio: end of the received audio, and playhead. */
  #end = 0;
  #playhead = 0;
  #isPaused = false;

  /** The playhead in ms of the agent's audio. */
  get playedMs(): number {
    return (this.#playhead * 1000) / this.rate;
  }

  get receivedMs(): number {
    return (this.#end * 1000) / this.rate;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** All received audio has been played or dropped. */
  get isAtEnd(): boolean {
    return this.#playhead >= this.#end;
  }

  receive(samples: Int16Array): void {
    this.arrivedAt.push(Date.now());
    this.#append(samples);
  }

  #append(samples: Int16Array): void {
    if (this.#end + samples.length > this.#store.length) {
      const larger = new Int16Array(this.#store.length + Math.max(GROWTH, samples.length));
      larger.set(this.#store);
      this.#store = larger;
    }
    this.#store.set(samples, this.#end);
    this.#end += samples.length;
  }

  /** Sets the position of the next audio. Missing samples count as lost. */
  skipTo(positionMs: number): void {
    const position = this.#samples(positionMs);
    if (position < this.#end) throw new Error('The server sent received audio again');
    if (position === this.#end) return;
    this.lostSamples += position - this.#end;
    this.#append(new Int16Array(position - this.#end));
    this.#playhead = this.#end;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(fromMs: number): void {
    const from = this.#samples(fromMs);
    this.resumeErrors.push(from - this.#playhead);
    this.#playhead = from;
    this.#isPaused = false;
  }

  clear(): void {
    this.#playhead = this.#end;
    this.#isPaused = false;
  }

  /** Plays up to `ms` of audio. @returns whether there was any */
  play(ms: number): boolean {
    if (this.#isPaused || this.#playhead >= this.#end) return false;
    const at = this.#playhead;
    const end = Math.min(this.#end, at + (this.rate * ms) / 1000);
    this.playedParts.push({ at, samples: this.#store.slice(at, end), atMs: Date.now() });
    this.#playhead = end;
    return true;
  }

  /** Whether all received audio was played in order, each sample once. */
  get hasPlayedAll(): boolean {
    let next = 0;
    for (const { at, samples } of this.playedParts) {
      if (at !== next) return false;
      next += samples.length;
    }
    return next === this.#end && this.lostSamples === 0;
  }

  /** The audio played between two times (ms since the epoch), as samples in −1…1. */
  playedBetween(fromMs: number, toMs = Number.POSITIVE_INFINITY): Float32Array<ArrayBuffer> {
    const parts = this.playedParts.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    const all = new Float32Array(parts.reduce((sum, { samples }) => sum + samples.length, 0));
    let at = 0;
    for (const { samples } of parts) for (const sample of samples) all[at++] = sample / 32768;
    return all;
  }

  #samples(ms: number): number {
    return Math.round((ms * this.rate) / 1000);
  }
}
