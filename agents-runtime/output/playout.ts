import type { Clock, Ticker, Timer } from '../contract/clock.js';
import type { Transport } from '../contract/transport.js';
import type { CurrentPlayback } from '../contract/turn-events.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { FRAME_MS } from '../timing/frame-ticker.js';
import { ClientPlayback } from './client-playback.js';
import { PlaybackTimeline, type PlaybackTimelineOptions } from './playback-timeline.js';
import type { Playhead } from './playhead.js';
import { SpeechBuffer } from './speech-buffer.js';
import type { SpokenChunk } from './spoken-text-alignment.js';
import { type HeardSpeech, type UtteranceListener, UtterancePlayout } from './utterance-playout.js';

/** Frames per message during an utterance. */
const BLOCK_FRAMES = 4;
const BLOCK_MS = BLOCK_FRAMES * FRAME_MS;
/** Time limit of a paused client's playhead report, ms. Resuming waits for the report. */
const PAUSE_REPORT_MS = 500;
/** Playout stops sending while the transport's send buffers hold more, in bytes. */
const BACKLOG_LIMIT = 256 * 1024;

/** The ports of `Playout`. */
export interface PlayoutDependencies
  extends Pick<PlaybackTimelineOptions, 'onPlaying' | 'onPlayed'> {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly boundary: FaultBoundary;
}

/**
 * Sends the agent's speech, one utterance at a time and at most 400 ms ahead of the client's playhead.
 * Pauses, resumes at the exact sample and cuts. Positions are ms of audio sent since the call began.
 */
export class Playout {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #timeline: PlaybackTimeline;
  readonly #head: Playhead;
  readonly #client: ClientPlayback;
  readonly #ticker: Ticker;
  /** Within the call's boundary, so that `SpeechBuffer` does not report a fault of the playout as its own. */
  readonly #runGuarded: () => void;
  readonly #block: Float32Array;
  #current: UtterancePlayout | undefined;
  #isHeld = false;
  /** Runs while resuming waits for the client's report. */
  #resumeTimer: Timer | undefined;
  #tick: Timer | undefined;

  constructor(dependencies: PlayoutDependencies) {
    const { transport, clock, ticker, boundary } = dependencies;
    this.#runGuarded = boundary.guard(() => this.#run());
    this.#transport = transport;
    this.#clock = clock;
    this.#ticker = ticker;
    this.#block = new Float32Array((transport.sampleRate * BLOCK_MS) / 1000);
    const frameLength = this.#block.length / BLOCK_FRAMES;
    this.#timeline = new PlaybackTimeline({ ...dependencies, frameLength });
    this.#head = this.#timeline.playhead;
    this.#client = new ClientPlayback(transport, this.#timeline);
  }

  /** Buffers an utterance's audio until `release`. Replaces the utterance before. */
  buffer(source: AsyncGenerator<SpokenChunk>, listener: UtteranceListener): UtterancePlayout {
    this.#current?.buffer.close();
    const { sampleRate } = this.#transport;
    const buffer = new SpeechBuffer(source, sampleRate, this.#runGuarded);
    this.#current = new UtterancePlayout(buffer, sampleRate, listener);
    return this.#current;
  }

  /** Starts to send a buffered utterance. */
  release(utterance: UtterancePlayout): void {
    if (this.#current !== utterance) return;
    utterance.release(this.#clock.now());
    this.#run();
  }

  /** Drops an utterance that was not released. */
  discard(utterance: UtterancePlayout): void {
    utterance.buffer.close();
    if (this.#current === utterance) this.#current = undefined;
  }

  /** The speech that the caller is listening to; undefined in silence. */
  get currentPlayback(): CurrentPlayback | undefined {
    this.#advance();
    return this.#current?.currentPlayback(this.#head.playedMs);
  }

  hold(): void {
    this.#cancelResume();
    if (this.#isHeld) return;
    this.#advance();
    this.#isHeld = true;
    if (!this.#head.isAtEnd) this.#client.pause();
  }

  /** Continues at the client's playhead, after its report. */
  resume(): void {
    if (!this.#isHeld || this.#resumeTimer) return;
    if (this.#client.isPauseReportDue) {
      this.#resumeTimer = this.#clock.after(PAUSE_REPORT_MS, () => this.#resumeNow());
    } else this.#resumeNow();
  }

  #resumeNow(): void {
    this.#cancelResume();
    this.#advance();
    this.#isHeld = false;
    if (this.#client.resume()) this.#sendAgain();
    this.#run();
  }

  /** For transports that cannot pause: sends the dropped audio again, from the last reported position. */
  #sendAgain(): void {
    const again = this.#timeline.frames.framesEndingAfter(this.#head.confirmedMs);
    const first = again[0];
    this.#timeline.skip();
    if (!first || this.#current?.startPositionMs === undefined) return;
    // The same audio now has a later position.
    this.#current.startPositionMs += this.#head.sentMs - first.positionMs;
    for (const { samples } of again) {
      this.#transport.sendAudio(samples);
      this.#timeline.sent(samples);
    }
  }

  /** Stops an utterance at once. @returns the part heard; undefined if the utterance has ended. */
  cut(utterance: UtterancePlayout): HeardSpeech | undefined {
    if (this.#current !== utterance) return undefined;
    this.#advance();
    this.#cancelResume();
    this.#current = undefined;
    const heard = this.#heard(utterance, true);
    utterance.buffer.close();
    this.#isHeld = false;
    this.#client.cut(utterance.startPositionMs !== undefined);
    this.#timeline.skip();
    return heard;
  }

  /** The client's playhead. Reports without a new position are ignored. */
  played(reportMs: number): void {
    this.#advance();
    if (!this.#timeline.reported(reportMs, this.#client.isPaused)) return;
    this.#markAudible(this.#head.playedMs);
    this.#client.reported();
    if (this.#resumeTimer) this.#resumeNow();
    else this.#run();
  }

  /** The connection is lost: the playhead stops. */
  connectionLost(): void {
    this.#advance();
    this.#client.connectionLost();
  }

  /**
   * The connection is back: sends the audio again that the client did not receive.
   * @param announcePosition - receives the position of the next audio, before that audio is sent
   */
  connectionRegained(receivedMs: number, announcePosition: (fromMs: number) => void): void {
    this.#advance();
    this.#client.connectionRegained(receivedMs, announcePosition);
    this.#run();
  }

  close(): void {
    this.#cancelResume();
    this.#stopTicker();
    this.#current?.buffer.close();
    this.#current = undefined;
  }

  /** The transport closes: publishes the audio that the client may have played. */
  publishRemainingPlayback(): void {
    this.#timeline.publishRemaining();
  }

  #cancelResume(): void {
    this.#resumeTimer?.cancel();
    this.#resumeTimer = undefined;
  }

  #advance(): void {
    this.#timeline.advance(this.#isHeld || this.#client.isLost);
  }

  /** Sends the frames that may be sent now, reports progress, and runs again at the next tick. */
  #run(): void {
    this.#advance();
    const current = this.#current;
    if (current?.releasedAt === undefined) {
      this.#stopTicker();
      return;
    }
    if (!this.#isHeld && !this.#client.isLost) this.#send(current);
    const text = current.newText();
    if (text !== undefined) current.listener.text(text);
    const isPlaying = !this.#head.isAtEnd || this.#isHeld || this.#client.isLost;
    if (current.hasStalled(this.#clock.now(), isPlaying)) current.listener.stalled();
    if (current.buffer.isDrained && this.#head.isAtEnd) {
      this.#current = undefined;
      current.listener.finished(this.#heard(current, false));
      return;
    }
    this.#tick ??= this.#ticker.join(() => this.#run());
  }

  #stopTicker(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
  }

  #send(utterance: UtterancePlayout): void {
    // Messages of several frames cost less, once some audio is ahead of the playhead.
    if (this.#head.roomMs < BLOCK_MS && utterance.startPositionMs !== undefined) return;
    while (this.#head.roomMs >= FRAME_MS) {
      if (this.#transport.backlogBytes > BACKLOG_LIMIT) return;
      const isFirst = utterance.startPositionMs === undefined;
      const samples = this.#nextBlock(utterance);
      if (samples.length === 0) return;
      utterance.startedAt ??= this.#clock.now();
      this.#transport.sendAudio(samples);
      if (isFirst || utterance.isStalled) utterance.listener.started();
      utterance.isStalled = false;
      if (this.#current !== utterance || this.#isHeld) return;
    }
  }

  /** The next frames that are available and may be sent. Valid until the next call. */
  #nextBlock(utterance: UtterancePlayout): Float32Array {
    const frameLength = this.#block.length / BLOCK_FRAMES;
    let filled = 0;
    while (filled < this.#block.length && this.#head.roomMs >= FRAME_MS) {
      const frame = this.#block.subarray(filled, filled + frameLength);
      if (!utterance.buffer.read(frame)) break;
      utterance.startPositionMs ??= this.#head.sentMs;
      this.#timeline.sent(frame);
      filled += frameLength;
    }
    return this.#block.subarray(0, filled);
  }

  #markAudible(playheadMs: number): void {
    const utterance = this.#current;
    if (
      utterance?.startPositionMs === undefined ||
      utterance.isAudible ||
      playheadMs <= utterance.startPositionMs
    )
      return;
    utterance.isAudible = true;
    const now = this.#clock.now();
    const sentAt = utterance.startedAt ?? now;
    // A report may exceed the audio that the client can have played.
    const audibleAt = Math.max(sentAt, now - (playheadMs - utterance.startPositionMs));
    if (!this.#isHeld) this.#head.setLag(audibleAt - sentAt);
    utterance.listener.audible(audibleAt);
  }

  /** The part of an utterance that was heard. Reports `audible` if no report of the client did. */
  #heard(utterance: UtterancePlayout, isCut: boolean): HeardSpeech {
    const { startedAt } = utterance;
    if (startedAt !== undefined && !utterance.isAudible) {
      utterance.isAudible = true;
      utterance.listener.audible(startedAt);
    }
    const aheadMs = isCut && !this.#client.isStoppedAtReport ? this.#head.aheadMs : 0;
    return utterance.heard(Math.min(this.#head.sentMs, this.#head.playedMs + aheadMs), isCut);
  }
}
