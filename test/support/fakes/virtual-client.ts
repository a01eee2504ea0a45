import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type { CallEvent, Transport } from '../../../agents-runtime/contract/transport.js';

/** Hz of the scripted voice. */
export const VOICE_RATE = 24_000;

/** A wire, so many ms long each way, whose client plays by the virtual clock, as a browser does. */
export class PlayingClient implements Transport {
  readonly sampleRate = VOICE_RATE;
  hasEchoCanceller = true;
  readonly backlogBytes = 0;
  readonly events: CallEvent[] = [];
  readonly control: string[] = [];
  /** All the samples that were heard, in order. */
  readonly heard: number[] = [];
  /** How many samples had been heard at each `clear`. */
  readonly clearedAt: number[] = [];
  onPlayed: (playedMs: number) => void = () => undefined;
  #received: number[] = [];
  #base = 0;
  #at = 0;
  #isPaused = false;
  /** The wire is broken: nothing reaches the client, it plays what it has. */
  isAway = false;
  isClosed = false;
  readonly #clock: Clock;
  readonly #wayMs: number;
  readonly canPause: boolean;
  readonly callerDelayMs = 0;

  constructor(clock: Clock, wayMs = 0, canPause = true) {
    this.#clock = clock;
    this.#wayMs = wayMs;
    this.canPause = canPause;
    const tick = () => {
      if (this.isClosed) return;
      this.#play(20);
      this.#clock.after(20, tick);
    };
    clock.after(20, tick);
  }

  /** The position up to which it has audio. */
  get receivedMs(): number {
    return ((this.#base + this.#received.length) * 1000) / VOICE_RATE;
  }

  /** As `ready` says after a broken wire: what comes next is at this position. */
  skipTo(positionMs: number): void {
    const gap = Math.round((positionMs * VOICE_RATE) / 1000) - this.#base - this.#received.length;
    if (gap < 0) throw new Error('audio that was received is sent again');
    if (gap === 0) return;
    this.#base += this.#received.length + gap;
    this.#received = [];
    this.#at = 0;
  }

  sendAudio(samples: Float32Array): void {
    const copy = samples.slice();
    this.#arrive(() => {
      for (const sample of copy) this.#received.push(sample);
    });
  }

  pause(): void {
    this.#arrive(() => {
      if (!this.canPause) throw new Error('this wire cannot pause');
      this.control.push(`${this.#clock.now()}: pause`);
      this.#isPaused = true;
      this.#report();
    });
  }

  resumeFrom(fromMs: number): void {
    this.#arrive(() => {
      this.control.push(`${this.#clock.now()}: resume ${fromMs}`);
      this.#at = Math.round((fromMs * VOICE_RATE) / 1000) - this.#base;
      this.#isPaused = false;
    });
  }

  clear(): void {
    this.#arrive(() => {
      this.control.push(`${this.#clock.now()}: clear`);
      this.clearedAt.push(this.heard.length);
      if (!this.canPause) this.#report();
      this.#base += this.#received.length;
      this.#received = [];
      this.#at = 0;
      this.#isPaused = false;
    });
  }

  send(event: CallEvent): void {
    this.events.push(event);
  }

  close(): void {
    this.isClosed = true;
  }

  #playedMs(): number {
    return ((this.#base + this.#at) * 1000) / VOICE_RATE;
  }

  #play(ms: number): void {
    if (this.#isPaused || this.#at >= this.#received.length) return;
    const end = Math.min(this.#received.length, this.#at + (ms * VOICE_RATE) / 1000);
    while (this.#at < end) this.heard.push(this.#received[this.#at++]!);
    this.#report();
  }

  #arrive(act: () => void): void {
    if (this.isAway) return;
    if (this.#wayMs === 0) act();
    else this.#clock.after(this.#wayMs, act);
  }

  #report(): void {
    const playedMs = this.#playedMs();
    this.#arrive(() => this.onPlayed(playedMs));
  }
}
