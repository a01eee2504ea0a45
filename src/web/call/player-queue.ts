/** Kept of the agent's audio, seconds: one second that was played, and what the server sends ahead. */
const CAPACITY_S = 4;
/** Playing begins when this much is there or has been waited for. */
const JITTER_MS = 60;
const FADE_OUT_MS = 30;
const FADE_IN_MS = 5;
const REPORT_MS = 100;

export interface PlayerQueueOptions {
  /** Hz of the agent's audio. */
  readonly sampleRate: number;
  /** Told how far the agent's audio has been played: about every 100 ms, and at every halt. */
  readonly report: (playedMs: number) => void;
}

/**
 * The agent's audio between wire and loudspeaker. A position is a count of samples of the agent's
 * audio since the call began; what `clear` drops counts as passed. Samples lie in a ring at their
 * position, so that the playhead can be held, and taken back by a second, to the very sample.
 */
export class PlayerQueue {
  readonly #options: PlayerQueueOptions;
  readonly #ring: Float32Array;
  /** Position of the next sample to play, and of the next to arrive. */
  #head = 0;
  #end = 0;
  #isHeld = false;
  /** Nothing plays until the jitter buffer has filled; how long it has been filling. */
  #isFilling = true;
  #filledFor = 0;
  /** Faded samples that play first: they are heard, but the playhead does not move over them. */
  #tail = new Float32Array(0);
  #fadedIn = 0;
  #sinceReport = 0;

  constructor(options: PlayerQueueOptions) {
    this.#options = options;
    this.#ring = new Float32Array(CAPACITY_S * options.sampleRate);
  }

  /** Takes s16 samples that lie behind those before. */
  receive(samples: Int16Array): void {
    const { length } = this.#ring;
    for (const sample of samples) this.#ring[this.#end++ % length] = sample / 32768;
    // A server that sends too far ahead loses the oldest.
    this.#head = Math.max(this.#head, this.#end - length);
  }

  /**
   * A socket has (again) begun: the next sample has this position. What lies between is gone, as
   * after `clear`; a server that still pauses says so again.
   */
  begin(positionMs: number): void {
    const position = this.#samples(positionMs);
    if (position > this.#end) this.#drop(position);
    this.#end = position;
    this.#isHeld = false;
    this.#report();
  }

  /** Fades out at once and holds the playhead where the fade began. */
  pause(): void {
    this.#fadeOut();
    this.#isHeld = true;
    this.#report();
  }

  /** Plays on from exactly this position, as far as it is still kept. */
  resume(fromMs: number): void {
    const oldest = Math.max(0, this.#end - this.#ring.length);
    this.#head = Math.min(this.#end, Math.max(oldest, this.#samples(fromMs)));
    this.#isHeld = false;
    this.#isFilling = false;
    this.#fadedIn = 0;
  }

  /** Drops what has not been played, after a report of how far it got. */
  clear(): void {
    this.#fadeOut();
    this.#report();
    this.#drop(this.#end);
    this.#isHeld = false;
  }

  /** Fills `output` with what is heard next: silence where there is nothing to play. */
  read(output: Float32Array): void {
    const fromTail = Math.min(this.#tail.length, output.length);
    output.fill(0, fromTail);
    output.set(this.#tail.subarray(0, fromTail));
    this.#tail = this.#tail.subarray(fromTail);
    if (this.#isHeld || !this.#hasFilled(output.length)) return;
    this.#play(output.subarray(fromTail));
  }

  #hasFilled(passed: number): boolean {
    const buffered = this.#end - this.#head;
    if (buffered <= 0) {
      this.#isFilling = true;
      this.#filledFor = 0;
      return false;
    }
    if (!this.#isFilling) return true;
    this.#filledFor += passed;
    const enough = this.#samples(JITTER_MS);
    if (buffered < enough && this.#filledFor < enough) return false;
    this.#isFilling = false;
    this.#sinceReport = Number.POSITIVE_INFINITY;
    return true;
  }

  #play(output: Float32Array): void {
    const count = Math.min(output.length, this.#end - this.#head);
    const fadeIn = this.#samples(FADE_IN_MS);
    for (let i = 0; i < count; i++) {
      const gain = this.#fadedIn < fadeIn ? this.#fadedIn++ / fadeIn : 1;
      output[i] = gain * this.#ring[this.#head++ % this.#ring.length]!;
    }
    this.#sinceReport += count;
    if (this.#sinceReport >= this.#samples(REPORT_MS) || this.#head === this.#end) this.#report();
  }

  /** Copies what would have been heard next, fading, unless nothing was being heard. */
  #fadeOut(): void {
    if (this.#isHeld || this.#isFilling) return;
    const length = this.#samples(FADE_OUT_MS);
    const count = Math.min(length, this.#end - this.#head);
    this.#tail = Float32Array.from({ length: count }, (_, i) => {
      const sample = this.#ring[(this.#head + i) % this.#ring.length]!;
      return sample * (1 - (i + 1) / length);
    });
  }

  #drop(position: number): void {
    this.#head = position;
    this.#end = position;
    this.#isFilling = true;
    this.#filledFor = 0;
  }

  #report(): void {
    this.#sinceReport = 0;
    this.#options.report((this.#head * 1000) / this.#options.sampleRate);
  }

  #samples(ms: number): number {
    return Math.round((ms * this.#options.sampleRate) / 1000);
  }
}
