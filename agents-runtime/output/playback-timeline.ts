import type { Clock, Timer } from '../contract/clock.js';
import { FRAME_MS } from '../timing/frame-ticker.js';
import { Playhead } from './playhead.js';
import { RetransmitBuffer } from './retransmit-buffer.js';

/** A report is settled after this time: an earlier arrival among the reports that follow corrects its delay. */
const SETTLE_AFTER_MS = 250;
/** A client without reports may send its first report this long after it started to play. */
const FIRST_REPORT_MS = 400;
/** A client that stops reporting for this long is assumed to continue playing. */
const SILENT_MS = 5_000;
/** Interval at which settled audio is published, while there is unsettled audio. */
const SETTLE_INTERVAL_MS = 250;
/** Spans that are this near to the end of the span before continue it. */
const TOLERANCE_MS = 12;

/** Information about the client's playhead, in the order of its arrival. Positions are ms of the agent's audio. */
type Mark =
  /** The client had played up to the position at this clock time, or earlier. */
  | { readonly type: 'played'; readonly positionMs: number; readonly at: number }
  /** The client continues from the position and skips the audio between. */
  | { readonly type: 'moved'; readonly positionMs: number; readonly at: number };

/** Receives agent audio that the client plays from this clock time on. Samples are valid only during the call. */
export type OnPlayedAudio = (startAt: number, samples: Int16Array) => void;

export interface PlaybackTimelineOptions {
  readonly clock: Clock;
  /** Samples of a frame of 20 ms. */
  readonly frameLength: number;
  /** Receives each frame when the estimated playhead passes its start. */
  readonly onPlaying?: OnPlayedAudio | undefined;
  /** Receives the audio that the client played, once its time is settled. */
  readonly onPlayed?: OnPlayedAudio | undefined;
}

/**
 * When the client played which part of the agent's audio: an estimate for now, and spans that are settled
 * 250 ms after the client's report. A client that does not report is assumed to play by the clock. Settled spans
 * are for recordings and the echo gate; the words that the caller heard come from `Playhead`.
 */
export class PlaybackTimeline {
  /** The estimate for now. */
  readonly playhead: Playhead;
  /** The audio that was sent. */
  readonly frames: RetransmitBuffer;
  readonly #options: PlaybackTimelineOptions;
  readonly #marks: Mark[] = [];
  /** Positions at which the client dropped its audio, until it reports a later one. */
  readonly #clears: number[] = [];
  /** Audio before this position is settled: published, or never played. */
  #settledMs = 0;
  #reportedMs = -1;
  /** Clock time of position zero for a client that plays by the clock. */
  #zeroAt = 0;
  /** Clock time at which the last published span ends. */
  #endAt = Number.NEGATIVE_INFINITY;
  #isPaused = false;
  #isLost = false;
  #timer: Timer | undefined;

  constructor(options: PlaybackTimelineOptions) {
    this.#options = options;
    this.playhead = new Playhead(options.clock);
    this.frames = new RetransmitBuffer(options.frameLength);
  }

  /** Moves the playhead by the clock unless the client does not play, and publishes the frames that it passed. */
  advance(isStopped: boolean): void {
    const now = this.playhead.advance(isStopped);
    const { onPlaying } = this.#options;
    if (isStopped || !onPlaying) return;
    const { playedMs } = this.playhead;
    this.frames.readPassed(playedMs, (positionMs, samples) =>
      onPlaying(now - (playedMs - positionMs), samples),
    );
  }

  /** A frame was sent. Copies it. */
  sent(frame: Float32Array): void {
    const now = this.#now();
    const { sentMs } = this.playhead;
    const isIdle = now >= this.#zeroAt + sentMs;
    if (isIdle && !this.#isPaused) this.#zeroAt = now - sentMs;
    this.frames.push(frame, now);
    this.playhead.sent(FRAME_MS);
    this.frames.trim(this.playhead.playedMs);
    this.#startTimer();
  }

  /** A frame that the client had not received was sent again. */
  resent(positionMs: number): void {
    this.frames.markSent(positionMs, this.#now());
  }

  /** The audio that was sent and not played has been dropped. */
  skip(): void {
    this.playhead.skip();
    this.frames.clear();
  }

  /**
   * The client reported its position.
   * @param isPaused - while paused, a repeated position confirms the pause
   * @returns false if the report brings no information
   */
  reported(playedMs: number, isPaused: boolean): boolean {
    const positionMs = Math.min(playedMs, this.playhead.sentMs);
    if (positionMs > this.#reportedMs) this.#addReport(positionMs, this.#now());
    return this.playhead.report(playedMs, isPaused);
  }

  // Commands to a client whose connection is lost do not reach it. Playout repeats them.
  paused(): void {
    if (this.#isLost || this.#isPaused) return;
    if (!this.#hasReports) this.#publishByClock(this.#now());
    this.#isPaused = true;
  }

  resumed(positionMs: number): void {
    if (this.#isLost) return;
    const now = this.#now();
    this.#isPaused = false;
    this.#zeroAt = now - positionMs;
    this.#reportedMs = Math.min(this.#reportedMs, positionMs);
    this.#addMark({ type: 'moved', positionMs, at: now });
  }

  /** The client drops the audio that it has not played. */
  cleared(): void {
    if (this.#isLost) return;
    const now = this.#now();
    const { sentMs } = this.playhead;
    if (this.#hasReports) this.#clears.push(sentMs);
    else {
      if (!this.#isPaused) this.#publishByClock(now);
      this.#settledMs = sentMs;
    }
    this.#zeroAt = now - sentMs;
    this.#isPaused = false;
  }

  connectionLost(): void {
    this.#isLost = true;
  }

  /** The connection is back: the client received audio up to `receivedMs`. */
  connectionRegained(receivedMs: number): void {
    this.#isLost = false;
    this.#settleMarks(Number.POSITIVE_INFINITY);
    this.frames.markNotReceived(receivedMs);
    // Meanwhile the client played the audio that it had.
    if (!this.#isPaused) this.#publishNext(Math.min(receivedMs, this.playhead.sentMs));
  }

  /** The transport closes: publishes all audio that the client may have played. */
  publishRemaining(): void {
    this.#timer?.cancel();
    if (this.#hasReports) this.#settleMarks(Number.POSITIVE_INFINITY);
    else if (!this.#isPaused) this.#publishByClock(this.#now());
    const isPlaying = !this.#isPaused && !this.#isLost && this.#clears.length === 0;
    if (isPlaying) this.#publishNext(this.playhead.sentMs);
  }

  get #hasReports(): boolean {
    return this.#reportedMs >= 0;
  }

  #addReport(positionMs: number, at: number): void {
    this.#reportedMs = positionMs;
    for (let end = this.#clears[0]; end !== undefined && end <= positionMs; end = this.#clears[0]) {
      this.#clears.shift();
      // At exactly this position, the client had played everything before it received the command.
      if (end < positionMs) this.#addMark({ type: 'moved', positionMs: end, at });
    }
    this.#addMark({ type: 'played', positionMs, at });
  }

  #addMark(mark: Mark): void {
    if (!this.#options.onPlayed) return;
    this.#marks.push(mark);
    this.#startTimer();
  }

  #startTimer(): void {
    if (!this.#options.onPlayed) return;
    this.#timer ??= this.#options.clock.after(SETTLE_INTERVAL_MS, () => {
      this.#timer = undefined;
      this.#settle(this.#now());
      if (this.#settledMs < this.playhead.sentMs || this.#marks.length > 0) this.#startTimer();
    });
  }

  #settle(now: number): void {
    if (!this.#hasReports) {
      if (!this.#isPaused) this.#publishByClock(now - FIRST_REPORT_MS);
      return;
    }
    this.#settleMarks(now - SETTLE_AFTER_MS);
    const silentMs = now - (this.frames.sentAt(this.#settledMs) ?? now) - SILENT_MS;
    const isStopped = this.#isPaused || this.#isLost || this.#clears.length > 0;
    if (silentMs > 0 && this.#marks.length === 0 && !isStopped) {
      this.#publishNext(this.#settledMs + silentMs);
    }
  }

  #settleMarks(untilAt: number): void {
    for (let mark = this.#marks[0]; mark && mark.at <= untilAt; mark = this.#marks[0]) {
      if (mark.type === 'moved') this.#settledMs = mark.positionMs;
      else this.#publish(mark.positionMs, this.#earliestZero());
      this.#marks.shift();
    }
  }

  /** Clock time of position zero by the reports up to the next jump: the least delayed one counts. */
  #earliestZero(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { type, at, positionMs } of this.#marks) {
      if (type === 'moved') break;
      earliest = Math.min(earliest, at - positionMs);
    }
    return earliest;
  }

  #publishByClock(now: number): void {
    this.#publish(Math.min(this.playhead.sentMs, now - this.#zeroAt), this.#zeroAt);
  }

  /** Publishes audio directly after the span before, but not before the time at which it was sent. */
  #publishNext(positionMs: number): void {
    const sentAt = this.frames.sentAt(this.#settledMs);
    if (sentAt === undefined) return;
    const startAt = Math.max(this.#endAt, sentAt);
    this.#publish(Math.min(positionMs, this.playhead.sentMs), startAt - this.#settledMs);
  }

  /** Publishes the audio up to a position. `zeroAt`: clock time of position zero. */
  #publish(toMs: number, zeroAt: number): void {
    if (toMs <= this.#settledMs) return;
    const startAt = this.#settledMs + zeroAt;
    const isContiguous = Math.abs(startAt - this.#endAt) <= TOLERANCE_MS;
    const placedZeroAt = isContiguous ? this.#endAt - this.#settledMs : zeroAt;
    this.frames.read(this.#settledMs, toMs, (positionMs, samples) => {
      const partStartAt = positionMs + placedZeroAt;
      this.#options.onPlayed?.(partStartAt, samples);
      const lengthMs = (samples.length * FRAME_MS) / this.#options.frameLength;
      this.#endAt = Math.max(this.#endAt, partStartAt + lengthMs);
    });
    this.#settledMs = toMs;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
