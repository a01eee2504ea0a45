/** Buffered agent audio, seconds: one second of played audio, and audio that the server sends ahead. */
const CAPACITY_S = 4;
/** Playback begins when this much is buffered, or after waiting this long. */
const JITTER_MS = 60;
const FADE_OUT_MS = 30;
const FADE_IN_MS = 5;
const REPORT_MS = 100;

export interface PlayerQueueOptions {
  /** Hz of the agent's audio. */
  readonly sampleRate: number;
  /** Reports the playback position about every 100 ms and at every stop. */
  readonly report: (playedMs: number) => void;
}

/**
 * The agent's audio between socket and loudspeaker. A position is a count of samples since the call began;
 * samples that `clear` drops count as played. Samples are in a ring buffer by position, so that the
 * playhead can be paused and moved back by a second, exactly to the sample.
 */
export class PlayerQueue {
  readonly #options: PlayerQueueOptions;
  readonly #ring: Float32Array;
  /** Position of the next sample to play, and of the next to arrive. */
  #head = 0;
  #end = 0;
  #isHeld = false;
  /** Whether the jitter buffer is filling, and for how long. */
  #isFilling = true;
  #filledFor = 0;
  /** Faded samples to play first. They do not move the playhead. */
  #tail = new Float32Array(0);
  #fadedIn = 0;
  #sinceReport = 0;

  constructor(options: PlayerQueueOptions) {
    this.#options = options;
    this.#ring = new Float32Array(CAPACITY_S * options.sampleRate);
  }

  /** Appends s16 samples. */
  receive(samples: Int16Array): void {
    const { length } = this.#ring;
    for (const sample of samples) this.#ring[this.#end++ % length] = sample / 32768;
    // Drops the oldest samples if the server sends too far ahead.
    this.#head = Math.max(this.#head, this.#end - length);
  }

  /**
   * Sets the position of the next sample after a (re)connect. Missing samples are dropped, as after
   * `clear`; a server that still pauses repeats the pause.
   */
  begin(positionMs: number): void {
    const position = this.#samples(positionMs);
    if (position > this.#end) this.#drop(position);
    this.#end = position;
    this.#isHeld = false;
    this.#report();
  }

  /** Fades out and pauses the playhead at the start of the fade. */
  pause(): void {
    this.#fadeOut();
    this.#isHeld = true;
    this.#report();
  }

  /** Resumes at this position, if it is still buffered. */
  resume(fromMs: number): void {
    const oldest = Math.max(0, this.#end - this.#ring.length);
    this.#head = Math.min(this.#end, Math.max(oldest, this.#samples(fromMs)));
    this.#isHeld = false;
    this.#isFilling = false;
    this.#fadedIn = 0;
  }

  /** Reports the position and drops unplayed samples. */
  clear(): void {
    this.#fadeOut();
    this.#report();
    this.#drop(this.#end);
    this.#isHeld = false;
  }

  /** Fills `output` with the next samples, or silence. */
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

  /** Copies the next samples with a fade-out, if audio is playing. */
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
