import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type { CallEvent, Transport } from '../../../agents-runtime/contract/transport.js';

/** Sample rate of the scripted voice in Hz. */
export const VOICE_RATE = 24_000;

/**
 * A transport with a constant network delay whose client plays by the virtual clock, as a browser
 * does.
 */
export class VirtualClient implements Transport {
  readonly sampleRate = VOICE_RATE;
  hasEchoCanceller = true;
  readonly backlogBytes = 0;
  readonly events: CallEvent[] = [];
  readonly control: string[] = [];
  /** Samples played to the caller, in order. */
  readonly played: number[] = [];
  /** The length of `heard` at each `clear`. */
  readonly clearedAt: number[] = [];
  onPlayed: (playedMs: number) => void = () => undefined;
  #received: number[] = [];
  #base = 0;
  #at = 0;
  #isPaused = false;
  /** The connection is lost: nothing reaches the client, which plays its buffer. */
  isDisconnected = false;
  isClosed = false;
  readonly #clock: Clock;
  readonly #networkDelayMs: number;
  readonly canPause: boolean;
  readonly callerDelayMs = 0;

  constructor(clock: Clock, networkDelayMs = 0, canPause = true) {
    this.#clock = clock;
    this.#networkDelayMs = networkDelayMs;
    this.canPause = canPause;
    const tick = () => {
      if (this.isClosed) return;
      this.#play(20);
      this.#clock.after(20, tick);
    };
    clock.after(20, tick);
  }

  /** End of the received audio, in ms of the agent's audio. */
  get receivedMs(): number {
    return ((this.#base + this.#received.length) * 1000) / VOICE_RATE;
  }

  /** Applies `positionMs` of `ready` after a reconnect: the next audio starts there. */
  skipTo(positionMs: number): void {
    const gap = Math.round((positionMs * VOICE_RATE) / 1000) - this.#base - this.#received.length;
    if (gap < 0) throw new Error('received audio was sent again');
    if (gap === 0) return;
    this.#base += this.#received.length + gap;
    this.#received = [];
    this.#at = 0;
  }

  sendAudio(samples: Float32Array): void {
    const copy = samples.slice();
    this.#deliver(() => {
      for (const sample of copy) this.#received.push(sample);
    });
  }

  pause(): void {
    this.#deliver(() => {
      if (!this.canPause) throw new Error('this transport cannot pause');
      this.control.push(`${this.#clock.now()}: pause`);
      this.#isPaused = true;
      this.#report();
    });
  }

  resumeFrom(fromMs: number): void {
    this.#deliver(() => {
      this.control.push(`${this.#clock.now()}: resume ${fromMs}`);
      this.#at = Math.round((fromMs * VOICE_RATE) / 1000) - this.#base;
      this.#isPaused = false;
    });
  }

  clear(): void {
    this.#deliver(() => {
      this.control.push(`${this.#clock.now()}: clear`);
      this.clearedAt.push(this.played.length);
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
    while (this.#at < end) this.played.push(this.#received[this.#at++]!);
    this.#report();
  }

  #deliver(act: () => void): void {
    if (this.isDisconnected) return;
    if (this.#networkDelayMs === 0) act();
    else this.#clock.after(this.#networkDelayMs, act);
  }

  #report(): void {
    const playedMs = this.#playedMs();
    this.#deliver(() => this.onPlayed(playedMs));
  }
}
