import type { Clock, Ticker, Timer } from '../contract/clock.js';
import type { Transport } from '../contract/transport.js';
import type { SpokenOver } from '../contract/turn-events.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { FRAME_MS } from '../timing/frame-ticker.js';
import { Playhead } from './playhead.js';
import { RetransmitBuffer } from './retransmit-buffer.js';
import { SpeechBuffer } from './speech-buffer.js';
import type { SpokenChunk } from './spoken-text-alignment.js';
import { type Spoken, UtterancePlayout } from './utterance-playout.js';

/** So much goes out at once, once a reply is under way. */
const BLOCK_FRAMES = 4;
const BLOCK_MS = BLOCK_FRAMES * FRAME_MS;
/** A client that has paused says where it stands; so long is waited for that before it is told to go on. */
const PAUSE_REPORT_MS = 500;
/** Nothing is sent while more than this waits in the wire's own buffers. */
const BACKLOG_LIMIT = 256 * 1024;

/** The ports of `Playout`. */
export interface PlayoutDependencies {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly ticker: Pick<Ticker, 'join'>;
  readonly boundary: FaultBoundary;
}

/** Receives the progress of an utterance. */
export interface PlayoutListener {
  /** The utterance's first frame has been sent, or the first frame after a stall. */
  started(utterance: number): void;
  /** Nothing of the utterance is being played and more will come; `started` follows. */
  stalled(utterance: number): void;
  /** All text of the utterance that is being spoken so far, each time it grows. */
  text(utterance: number, text: string): void;
  /** The client played the first sample at this clock time. Called once, at the latest at the end. */
  audible(utterance: number, atMs: number): void;
  /** By the playhead, a frame of 20 ms began to be played at this clock time. */
  playing?(samples: Float32Array, atMs: number): void;
  /** All of the utterance has been played, or it had no audio. */
  finished(spoken: Spoken): void;
}

/**
 * The agent's leg: sends speech by the clock, at most 400 ms ahead of the client's playhead, pauses,
 * resumes at the exact sample and cuts. Positions are ms of audio sent since the call began.
 */
export class Playout {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #head: Playhead;
  readonly #ticker: Pick<Ticker, 'join'>;
  /** Sends what may be sent now; speech that comes must not take a fault of the leg for one of its own. */
  readonly #runGuarded: () => void;
  readonly #listener: PlayoutListener;
  readonly #block: Float32Array;
  readonly #kept: RetransmitBuffer;
  #line: UtterancePlayout | undefined;
  #isHeld = false;
  #isTransportPaused = false;
  /** The wire cannot pause: what it had was dropped instead. */
  #isCleared = false;
  /** The client has said where it stands since it was told to pause. */
  #hasPauseReport = false;
  /** The pause is over as soon as the client has said where it stands. */
  #resuming: Timer | undefined;
  #isLost = false;
  /** What the client of a broken wire believes: it holds, or has audio that was dropped here. */
  #clientHolds = false;
  #clientIsStale = false;
  #tick: Timer | undefined;

  constructor(parts: PlayoutDependencies, listener: PlayoutListener) {
    const { transport, clock, ticker, boundary } = parts;
    this.#runGuarded = boundary.guard(() => this.#run());
    this.#transport = transport;
    this.#clock = clock;
    this.#ticker = ticker;
    this.#listener = listener;
    this.#block = new Float32Array((transport.sampleRate * BLOCK_MS) / 1000);
    this.#kept = new RetransmitBuffer(this.#block.length / BLOCK_FRAMES);
    this.#head = new Playhead(clock);
  }

  /** Begins to make an utterance's speech; nothing is heard of it before `release`. Replaces the one before. */
  prepare(utterance: number, source: AsyncGenerator<SpokenChunk>): void {
    this.#line?.buffer.close();
    const buffer = new SpeechBuffer(source, this.#transport.sampleRate, this.#runGuarded);
    this.#line = new UtterancePlayout(utterance, buffer, this.#transport.sampleRate);
  }

  /** Lets the prepared utterance be heard. */
  release(utterance: number): void {
    if (this.#line?.utterance !== utterance) return;
    this.#line.isReleased = true;
    this.#line.quietSince = this.#clock.now();
    this.#run();
  }

  /** Drops a prepared utterance of which nothing was released. */
  discard(): void {
    if (!this.#line || this.#line.isReleased) return;
    this.#line.buffer.close();
    this.#line = undefined;
  }

  /** What the caller hears now, and how much is left of it. */
  get currentPlayback(): SpokenOver | undefined {
    this.#advance();
    return this.#line?.currentPlayback(this.#head.playedMs);
  }

  /** How long (ms) the caller has been waiting in silence for the running utterance. */
  get quietMs(): number {
    return this.#line?.isReleased ? this.#clock.now() - this.#line.quietSince : 0;
  }

  hold(): void {
    this.#stopResuming();
    if (this.#isHeld) return;
    this.#advance();
    this.#isHeld = true;
    if (this.#head.isAtEnd) return;
    if (this.#transport.canPause === false) {
      this.#isCleared = true;
      this.#transport.clear();
      return;
    }
    this.#isTransportPaused = true;
    this.#hasPauseReport = false;
    this.#transport.pause();
  }

  /** Goes on at the sample where the client stands, which on a long way it may still have to say. */
  resume(): void {
    if (!this.#isHeld || this.#resuming) return;
    if (
      this.#isTransportPaused &&
      this.#head.hasReports &&
      !this.#hasPauseReport &&
      !this.#isLost
    ) {
      this.#resuming = this.#clock.after(PAUSE_REPORT_MS, () => this.#resumeNow());
    } else this.#resumeNow();
  }

  #resumeNow(): void {
    this.#stopResuming();
    this.#advance();
    this.#isHeld = false;
    if (this.#isTransportPaused) {
      this.#isTransportPaused = false;
      this.#transport.resumeFrom(this.#head.playedMs);
    }
    if (this.#isCleared) this.#sendAgain();
    this.#run();
  }

  /** On a wire that cannot pause: what was dropped is sent again, from where it was surely heard. */
  #sendAgain(): void {
    this.#isCleared = false;
    const again = this.#kept.beyond(this.#head.surelyMs);
    const first = again[0];
    this.#kept.clear();
    this.#head.skip();
    if (!first || this.#line?.startMs === undefined) return;
    this.#line.startMs += this.#head.sentMs - first.atMs;
    for (const { samples } of again) {
      this.#transport.audio(samples);
      this.#kept.push(samples);
      this.#head.sent(FRAME_MS);
    }
  }

  /** Stops the utterance at once. Tells what was heard of it. */
  cut(utterance: number): Spoken | undefined {
    const line = this.#line;
    if (line?.utterance !== utterance) return undefined;
    this.#advance();
    this.#stopResuming();
    this.#line = undefined;
    const spoken = this.#spoken(line, true);
    line.buffer.close();
    this.#isHeld = false;
    this.#isTransportPaused = false;
    this.#isCleared = false;
    if (line.startMs !== undefined) this.#transport.clear();
    this.#clientIsStale ||= this.#isLost;
    this.#head.skip();
    this.#kept.clear();
    return spoken;
  }

  /** The client's own playhead. Reports that bring nothing new are ignored: the clock goes on. */
  played(reportMs: number): void {
    this.#advance();
    if (!this.#head.report(reportMs, this.#isTransportPaused)) return;
    this.#markAudible(this.#head.playedMs);
    this.#hasPauseReport = true;
    if (this.#resuming) this.#resumeNow();
    else this.#run();
  }

  /** The wire broke: the playhead stands still. */
  lost(): void {
    this.#advance();
    this.#isLost = true;
    this.#clientHolds = this.#isTransportPaused;
  }

  /**
   * The wire is back; what the client did not receive is sent again.
   * @param announce is told, before any audio, the position of what comes next.
   */
  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#advance();
    this.#isLost = false;
    const from = this.#isCleared ? this.#head.sentMs : receivedMs;
    const again = this.#kept.from(from);
    announce(again[0]?.atMs ?? this.#head.sentMs);
    if (this.#clientIsStale) this.#transport.clear();
    for (const frame of again) this.#transport.audio(frame.samples);
    if (this.#isTransportPaused) this.#transport.pause();
    else if (this.#clientHolds && !this.#clientIsStale)
      this.#transport.resumeFrom(this.#head.playedMs);
    this.#clientIsStale = false;
    this.#clientHolds = false;
    this.#run();
  }

  close(): void {
    this.#stopResuming();
    this.#rest();
    this.#line?.buffer.close();
    this.#line = undefined;
  }

  #stopResuming(): void {
    this.#resuming?.cancel();
    this.#resuming = undefined;
  }

  #advance(): void {
    const isStill = this.#isHeld || this.#isLost;
    const now = this.#head.advance(isStill);
    if (isStill || !this.#listener.playing) return;
    const { playedMs } = this.#head;
    this.#kept.reportUpTo(playedMs, ({ atMs, samples }) =>
      this.#listener.playing?.(samples, now - (playedMs - atMs)),
    );
  }

  /** Sends what may be sent now, notices the end, and comes back in a frame's time while there is work. */
  #run(): void {
    this.#advance();
    const line = this.#line;
    if (!line?.isReleased) {
      this.#rest();
      return;
    }
    if (!this.#isHeld && !this.#isLost) this.#send(line);
    const text = line.newText();
    if (text !== undefined) this.#listener.text(line.utterance, text);
    const isPlaying = !this.#head.isAtEnd || this.#isHeld || this.#isLost;
    if (line.hasStalled(this.#clock.now(), isPlaying)) this.#listener.stalled(line.utterance);
    if (line.buffer.ended && this.#head.isAtEnd) {
      this.#line = undefined;
      this.#listener.finished(this.#spoken(line, false));
      return;
    }
    this.#tick ??= this.#ticker.join(() => this.#run());
  }

  #rest(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
  }

  #send(line: UtterancePlayout): void {
    // A message costs more than its samples: who is far ahead is sent to in larger ones.
    if (this.#head.roomMs < BLOCK_MS && line.startMs !== undefined) return;
    while (this.#head.roomMs >= FRAME_MS) {
      if (this.#transport.backlogBytes > BACKLOG_LIMIT) return;
      const isFirst = line.startMs === undefined;
      const samples = this.#nextBlock(line);
      if (samples.length === 0) return;
      line.startedAt ??= this.#clock.now();
      this.#transport.audio(samples);
      if (isFirst || line.isStalled) this.#listener.started(line.utterance);
      line.isStalled = false;
      if (this.#line !== line || this.#isHeld) return;
    }
  }

  /** The next frames, as many as may go and are there; the block is valid until the next one. */
  #nextBlock(line: UtterancePlayout): Float32Array {
    const frameLength = this.#block.length / BLOCK_FRAMES;
    let filled = 0;
    while (filled < this.#block.length && this.#head.roomMs >= FRAME_MS) {
      const frame = this.#block.subarray(filled, filled + frameLength);
      if (!line.buffer.read(frame)) break;
      line.startMs ??= this.#head.sentMs;
      this.#kept.push(frame);
      this.#head.sent(FRAME_MS);
      filled += frameLength;
    }
    this.#kept.trim(this.#head.playedMs);
    return this.#block.subarray(0, filled);
  }

  #markAudible(playheadMs: number): void {
    const line = this.#line;
    if (line?.startMs === undefined || line.isAudible || playheadMs <= line.startMs) return;
    line.isAudible = true;
    const now = this.#clock.now();
    const sentAt = line.startedAt ?? now;
    // A client that reports more than it can have played has played nothing before it was sent.
    const audibleAt = Math.max(sentAt, now - (playheadMs - line.startMs));
    if (!this.#isHeld) this.#head.lag(audibleAt - sentAt);
    this.#listener.audible(line.utterance, audibleAt);
  }

  #spoken(line: UtterancePlayout, isCut: boolean): Spoken {
    const { utterance, startedAt } = line;
    if (startedAt !== undefined && !line.isAudible) {
      line.isAudible = true;
      this.#listener.audible(utterance, startedAt);
    }
    // While it stands where it said, it plays nothing on.
    const isKnown = this.#isLost || (this.#isTransportPaused && this.#hasPauseReport);
    const aheadMs = isCut && !isKnown ? this.#head.aheadMs : 0;
    return line.spoken(Math.min(this.#head.sentMs, this.#head.playedMs + aheadMs), isCut);
  }
}
