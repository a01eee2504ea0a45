import type { SpokenOver } from '../contract/turn-events.js';
import type { SpeechBuffer } from './speech-buffer.js';

/** An utterance that has had nothing to play for so long is not being spoken. */
const STALL_MS = 300;

/** How an utterance ended. */
export interface Spoken {
  readonly utterance: number;
  /** What was heard of it. */
  readonly text: string;
  /** It was not heard to its end. */
  readonly cut: boolean;
  /** Why its speech broke off, if it did. */
  readonly fault: unknown;
}

/** One utterance on its way to the client. */
export class UtterancePlayout {
  readonly utterance: number;
  readonly buffer: SpeechBuffer;
  readonly #sampleRate: number;
  isReleased = false;
  /** Where it begins in the agent's audio (ms), and when its first frame was sent (clock ms). */
  startMs: number | undefined;
  startedAt: number | undefined;
  isAudible = false;
  #reportedText = '';
  /** Clock time since when nothing of it has been heard. */
  quietSince = 0;
  /** The listener has been told that it waits for more. */
  isStalled = false;

  constructor(utterance: number, buffer: SpeechBuffer, sampleRate: number) {
    this.utterance = utterance;
    this.buffer = buffer;
    this.#sampleRate = sampleRate;
  }

  /** What was heard of it up to this position of the agent's audio; called before its buffer is closed. */
  spoken(playedMs: number, isCut: boolean): Spoken {
    const { heard, fault, isWhole: isMade } = this.buffer;
    const isShort = isCut || fault !== undefined;
    const text = isShort ? heard.heardAt(this.#samplesAt(playedMs)) : heard.whole;
    const isWhole = text === heard.whole && isMade && fault === undefined;
    return { utterance: this.utterance, text, cut: isShort && !isWhole, fault };
  }

  /** All the text that is being spoken, when there is more of it than when last asked for. */
  newText(): string | undefined {
    const text = this.buffer.heard.whole;
    if (this.startMs === undefined || text === this.#reportedText) return undefined;
    this.#reportedText = text;
    return text;
  }

  /** What is being heard at this position, and what is left; undefined before its first sample. */
  currentPlayback(playedMs: number): SpokenOver | undefined {
    if (this.startMs === undefined) return undefined;
    const { heard, isWhole } = this.buffer;
    const at = this.#samplesAt(playedMs);
    const leftMs = ((heard.samples - at) * 1000) / this.#sampleRate;
    return { isQuestion: heard.asksAt(at), remainingMs: isWhole ? leftMs : Infinity };
  }

  /**
   * Whether it has run dry since it was last asked, and for long.
   * @param isPlaying something of it is heard, or held back.
   */
  hasStalled(now: number, isPlaying: boolean): boolean {
    if (isPlaying || this.buffer.buffered > 0) this.quietSince = now;
    if (this.startMs === undefined || this.buffer.ended || this.isStalled) return false;
    this.isStalled = now - this.quietSince >= STALL_MS;
    return this.isStalled;
  }

  #samplesAt(playedMs: number): number {
    const heardMs = this.startMs === undefined ? 0 : playedMs - this.startMs;
    return (heardMs * this.#sampleRate) / 1000;
  }
}
