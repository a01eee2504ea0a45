import type { Clock, Timer } from '../../../contract/clock.js';

/** The queue of the agent's track, which plays continuously. */
interface PlayerSink {
  /** Queued audio that has not been played, in ms. */
  readonly queuedMs: number;
  /** Appends whole slices. The sink owns the samples, which start at offset zero of their buffer. */
  push(samples: Int16Array<ArrayBuffer>): void;
  /** Drops what is queued. */
  clear(): void;
}

/** Smallest unit of the sink. Source: @livekit/rtc-node, AudioSource: frames of 10 ms. */
const SLICE_MS = 10;
/** Audio queued in the sink. Covers a busy event loop. */
const QUEUE_MS = 100;
/** Most audio in one call of the sink, whose cost is mostly per call. */
const PUSH_MS = 40;
const PUMP_MS = 20;
const REPORT_MS = 100;
/** Audio kept behind the playhead, to resume from. */
const KEPT_MS = 500;
/** Longest queue: more than the gateway sends ahead. */
const MAX_MS = 5_000;
/** Fade-out when playback stops. */
const FADE_MS = 20;

export interface RoomPlayerOptions {
  readonly sampleRate: number;
  readonly sink: PlayerSink;
  readonly clock: Clock;
  readonly onPlayed: (playedMs: number) => void;
}

/**
 * Plays the agent's audio into a room and tracks the position. It keeps recently played and future audio, and
 * queues only 100 ms in the sink, so that it can pause at once and resume from the same position. Positions are ms
 * of the agent's audio (see `Transport`).
 */
export class RoomPlayer {
  readonly #options: RoomPlayerOptions;
  readonly #sliceLength: number;
  /** Consecutive slices from `#baseMs` on. */
  #slices: Int16Array[] = [];
  #baseMs = 0;
  /** Positions where playback last started, and up to which the sink has the audio. */
  #fromMs = 0;
  #pushedMs = 0;
  #receivedMs = 0;
  #reportedMs = 0;
  #state: 'playing' | 'paused' | 'lost' = 'playing';
  #timer: Timer | undefined;

  constructor(options: RoomPlayerOptions) {
    this.#options = options;
    this.#sliceLength = (options.sampleRate * SLICE_MS) / 1000;
  }

  get playedMs(): number {
    if (this.#state !== 'playing') return this.#pushedMs;
    return Math.max(this.#fromMs, this.#pushedMs - this.#options.sink.queuedMs);
  }

  /** Copies whole frames into the queue. Drops them while the caller is disconnected. */
  audio(samples: Int16Array): void {
    if (this.#state === 'lost') return;
    for (let at = 0; at + this.#sliceLength <= samples.length; at += this.#sliceLength) {
      if (this.#receivedMs - this.playedMs >= MAX_MS) return;
      this.#slices.push(samples.slice(at, at + this.#sliceLength));
      this.#receivedMs += SLICE_MS;
    }
    this.#pump();
  }

  pause(): void {
    if (this.#state === 'playing') this.#stop('paused');
    this.#report();
  }

  resume(fromMs: number): void {
    if (this.#state !== 'paused') return;
    this.#state = 'playing';
    this.#rewind(fromMs);
    this.#pump();
  }

  /** Drops the audio that has not been played. */
  clear(): void {
    if (this.#state === 'lost') return;
    if (this.#state === 'playing') this.#stop('paused');
    this.#report();
    this.#restart(this.#receivedMs);
  }

  /** The caller is disconnected: drops the audio that has not been played, and all audio until `seek`. */
  lose(): void {
    if (this.#state === 'playing') this.#stop('lost');
    this.#state = 'lost';
    this.#report();
  }

  /** The next audio starts at this position. */
  seek(positionMs: number): void {
    this.#state = 'playing';
    this.#restart(positionMs);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#state = 'lost';
    this.#slices = [];
  }

  /** Fades out and stops at the slice that is being played. */
  #stop(state: 'paused' | 'lost'): void {
    const { sink } = this.#options;
    const isHeard = this.playedMs < this.#receivedMs;
    this.#rewind(this.playedMs);
    sink.clear();
    this.#state = state;
    if (isHeard) sink.push(faded(this.#take(this.#pushedMs, FADE_MS)));
  }

  #restart(positionMs: number): void {
    this.#slices = [];
    this.#baseMs = positionMs;
    this.#fromMs = positionMs;
    this.#pushedMs = positionMs;
    this.#receivedMs = positionMs;
    this.#reportedMs = positionMs;
    this.#state = 'playing';
  }

  #rewind(toMs: number): void {
    const slice = Math.floor((toMs - this.#baseMs) / SLICE_MS);
    const to = this.#baseMs + slice * SLICE_MS;
    this.#pushedMs = Math.min(Math.max(to, this.#baseMs), this.#receivedMs);
    this.#fromMs = this.#pushedMs;
  }

  /** Fills the sink's queue and reports the position, repeatedly while audio is queued. */
  #pump(): void {
    const { sink, clock } = this.#options;
    if (this.#state !== 'playing') return;
    while (this.#pushedMs < this.#receivedMs && sink.queuedMs <= QUEUE_MS - PUSH_MS) {
      const samples = this.#take(this.#pushedMs, PUSH_MS);
      sink.push(samples);
      this.#pushedMs += (samples.length / this.#sliceLength) * SLICE_MS;
    }
    const { playedMs } = this;
    const isOver = playedMs >= this.#receivedMs;
    if (isOver ? playedMs > this.#reportedMs : playedMs - this.#reportedMs >= REPORT_MS) {
      this.#report();
    }
    this.#trim();
    if (isOver || this.#timer) return;
    this.#timer = clock.after(PUMP_MS, () => {
      this.#timer = undefined;
      this.#pump();
    });
  }

  /** A copy of at most `ms` of audio from a position. */
  #take(fromMs: number, ms: number): Int16Array<ArrayBuffer> {
    const first = (fromMs - this.#baseMs) / SLICE_MS;
    const slices = this.#slices.slice(first, first + ms / SLICE_MS);
    const samples = new Int16Array(slices.length * this.#sliceLength);
    slices.forEach((slice, i) => {
      samples.set(slice, i * this.#sliceLength);
    });
    return samples;
  }

  #trim(): void {
    const stale = Math.floor((this.playedMs - KEPT_MS - this.#baseMs) / SLICE_MS);
    if (stale <= 0) return;
    this.#slices.splice(0, stale);
    this.#baseMs += stale * SLICE_MS;
  }

  #report(): void {
    this.#reportedMs = this.playedMs;
    this.#options.onPlayed(this.#reportedMs);
  }
}

function faded(samples: Int16Array<ArrayBuffer>): Int16Array<ArrayBuffer> {
  return samples.map((sample, i) => sample * (1 - (i + 1) / samples.length));
}
