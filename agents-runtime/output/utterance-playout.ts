import type { CurrentPlayback } from '../contract/turn-events.js';
import type { SpeechBuffer } from './speech-buffer.js';

/** Playout counts as stalled after this long without audio, ms. */
const STALL_MS = 300;

/** The part of an utterance that the caller heard. */
export interface HeardSpeech {
  readonly text: string;
  /** The caller did not hear all of it. */
  readonly cut: boolean;
  /** The error that ended speech synthesis early, if any. */
  readonly fault: unknown;
}

/** Receives the progress of an utterance. */
export interface UtteranceListener {
  /** The utterance's first frame has been sent, or the first frame after a stall. */
  started(): void;
  /** Nothing of the utterance is being played and more will come; `started` follows. */
  stalled(): void;
  /** All text of the utterance that is being spoken so far, each time it grows. */
  text(text: string): void;
  /** The client played the first sample at this clock time. Called once, at the latest at the end. */
  audible(audibleAt: number): void;
  /** All of the utterance has been played, or it had no audio. */
  finished(heard: HeardSpeech): void;
}

/** The playout of one utterance. Times are clock time in ms unless noted. */
export class UtterancePlayout {
  readonly buffer: SpeechBuffer;
  readonly listener: UtteranceListener;
  readonly #sampleRate: number;
  /** When its audio may be sent. */
  releasedAt: number | undefined;
  /** Position of its first sample in the agent's audio, ms. */
  startPositionMs: number | undefined;
  /** When its first frame was sent. */
  startedAt: number | undefined;
  isAudible = false;
  isStalled = false;
  #reportedText = '';
  /** Since when nothing of it has been played. */
  #quietSince = 0;

  constructor(buffer: SpeechBuffer, sampleRate: number, listener: UtteranceListener) {
    this.buffer = buffer;
    this.#sampleRate = sampleRate;
    this.listener = listener;
  }

  release(now: number): void {
    this.releasedAt = now;
    this.#quietSince = now;
  }

  /** How long the caller has been waiting in silence for this utterance, ms. */
  quietMs(now: number): number {
    return this.releasedAt === undefined ? 0 : now - this.#quietSince;
  }

  /** The part heard up to this position of the agent's audio. Call it before the buffer is closed. */
  heard(playedMs: number, isCut: boolean): HeardSpeech {
    const { alignment, fault, hasSourceEnded } = this.buffer;
    const isShort = isCut || fault !== undefined;
    const text = isShort ? alignment.heardAt(this.#samplesAt(playedMs)) : alignment.whole;
    const isWhole = text === alignment.whole && hasSourceEnded && fault === undefined;
    return { text, cut: isShort && !isWhole, fault };
  }

  /** All text that is being spoken, if it has grown since the last call. */
  newText(): string | undefined {
    const text = this.buffer.alignment.whole;
    if (this.startPositionMs === undefined || text === this.#reportedText) return undefined;
    this.#reportedText = text;
    return text;
  }

  /** The speech at this position of the agent's audio; undefined before the first sample. */
  currentPlayback(playedMs: number): CurrentPlayback | undefined {
    if (this.startPositionMs === undefined) return undefined;
    const { alignment, hasSourceEnded } = this.buffer;
    const at = this.#samplesAt(playedMs);
    const remainingMs = ((alignment.samples - at) * 1000) / this.#sampleRate;
    return {
      isQuestion: alignment.asksAt(at),
      remainingMs: hasSourceEnded ? remainingMs : Infinity,
    };
  }

  /**
   * Whether playout has stalled since the last call.
   * @param isPlaying - some of it is being played or held
   */
  hasStalled(now: number, isPlaying: boolean): boolean {
    if (isPlaying || this.buffer.buffered > 0) this.#quietSince = now;
    if (this.startPositionMs === undefined || this.buffer.isDrained || this.isStalled) return false;
    this.isStalled = now - this.#quietSince >= STALL_MS;
    return this.isStalled;
  }

  #samplesAt(playedMs: number): number {
    const heardMs = this.startPositionMs === undefined ? 0 : playedMs - this.startPositionMs;
    return (heardMs * this.#sampleRate) / 1000;
  }
}
