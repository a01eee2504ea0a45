import type {
  StreamingSpeechToText,
  StreamingTranscript,
  TranscriptionStream,
} from '../../media/stt/speech-to-text.js';
import type { Timer } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import {
  BatchTranscriber,
  type BatchTranscriberOptions,
  PRE_ROLL,
  TAIL,
} from './batch-transcriber.js';

/** Audio goes out so often. */
const PUSH_EVERY_MS = 100;
/** The last words of an utterance are awaited for this long. */
const LAST_WITHIN_MS = 1_000;
/** A line need not answer when no more than this is left to hear: 500 ms. */
const MAX_UNHEARD = 8_000;

export interface StreamingTranscriberOptions extends BatchTranscriberOptions {
  readonly live: StreamingSpeechToText;
}

/** What of a turn the line was sent, and what it heard of it. */
interface LiveTurn {
  readonly fromSample: number;
  /** Position of the line at the turn's first sample. */
  readonly offset: number;
  sentUpTo: number;
  /** Final texts, and up to where, by the line. */
  fixed: string;
  fixedUpTo: number;
  latest: string;
  /** How far it has been heard, finally or not, by the line. */
  heardUpTo: number;
}

/**
 * One caller's speech, transcribed while it is spoken. When the line is not there, or breaks in the
 * middle of an utterance, a recogniser of whole pieces takes over for the rest of the turn: it hears
 * again what was not final.
 */
export class StreamingTranscriber {
  readonly #options: StreamingTranscriberOptions;
  readonly #line: TranscriptionStream;
  #turn: LiveTurn | undefined;
  #fallback: BatchTranscriber | undefined;
  #notBefore = 0;
  /** The last sample of speech before the newest pause of the turn, with either kind of recogniser. */
  #pausedAt = 0;
  /** The pause whose final is waited for. */
  #zero: number | undefined;
  #pushing: Timer | undefined;
  #waiting: Timer | undefined;

  constructor(options: StreamingTranscriberOptions) {
    this.#options = options;
    this.#line = options.live.open({
      language: options.language,
      onResult: (result) => this.#onResult(result),
      onFault: (error) => this.#onFault(error),
    });
  }

  /** Speech of a new turn, or again after a pause of the same one. */
  speech(startSample: number): void {
    this.#stopWaiting();
    if (this.#fallback) {
      this.#fallback.speech(startSample);
      return;
    }
    const fromSample = Math.max(this.#notBefore, startSample - PRE_ROLL);
    const offset = this.#line.position;
    this.#turn ??= {
      fromSample,
      offset,
      sentUpTo: fromSample,
      fixed: '',
      fixedUpTo: offset,
      latest: '',
      heardUpTo: offset,
    };
    if (this.#line.isOpen) this.#push();
    else this.#fallBack();
  }

  /** Speech has paused: its last words, up to there. */
  finalise(speechEndSample: number): void {
    this.#pushing?.cancel();
    this.#pausedAt = speechEndSample;
    if (this.#fallback) {
      this.#fallback.finalise(speechEndSample);
      return;
    }
    if (!this.#turn) return;
    this.#send(speechEndSample + TAIL);
    this.#zero = speechEndSample;
    this.#line.finalise();
    this.#waiting?.cancel();
    this.#waiting = this.#options.clock.after(LAST_WITHIN_MS, () => this.#onNoAnswer());
  }

  /** A line that has heard all of the speech may leave `finalise` without an answer. */
  #onNoAnswer(): void {
    const turn = this.#turn;
    const speechEndSample = this.#zero;
    if (!turn || speechEndSample === undefined) return;
    if (this.#line.isOpen && turn.heardUpTo >= lineSample(turn, speechEndSample) - MAX_UNHEARD) {
      this.#stopWaiting();
      this.#report(turn.latest, speechEndSample, turn.heardUpTo);
      return;
    }
    this.#options.onFault(new CallError('RECOGNITION_FAILED', 'No last words came in time'));
    this.#fallBack();
  }

  /** The turn is over; the next speech begins a new one. */
  reset(): void {
    if (this.#turn) {
      this.#notBefore = Math.max(this.#notBefore, this.#turn.sentUpTo, this.#pausedAt);
    }
    this.#pushing?.cancel();
    this.#stopWaiting();
    this.#fallback?.close();
    this.#fallback = undefined;
    this.#turn = undefined;
  }

  close(): void {
    this.reset();
    this.#line.close();
  }

  #push(): void {
    this.#pushing?.cancel();
    this.#send(this.#options.history.end);
    this.#pushing = this.#options.clock.after(PUSH_EVERY_MS, () => this.#push());
  }

  /** In order and without a gap: what is sent is one piece of the caller's audio. */
  #send(upTo: number): void {
    const turn = this.#turn;
    const { history } = this.#options;
    const end = Math.min(upTo, history.end);
    if (!turn || end <= turn.sentUpTo) return;
    this.#line.push(history.slice(turn.sentUpTo, end));
    turn.sentUpTo = end;
  }

  #onResult({ text, isFinal, isLast, toSample, language }: StreamingTranscript): void {
    const turn = this.#turn;
    // Of a turn that is over, or of what is final already.
    const isLate = !turn || toSample <= turn.offset || (!isLast && toSample <= turn.fixedUpTo);
    if (isLate || this.#fallback) return;
    if (isFinal && toSample > turn.fixedUpTo) {
      turn.fixed = join(turn.fixed, text);
      turn.fixedUpTo = toSample;
      turn.latest = turn.fixed;
    } else if (!isFinal) turn.latest = join(turn.fixed, text);
    turn.heardUpTo = Math.max(turn.heardUpTo, toSample);
    const zero = this.#zero;
    // A final that reaches the pause is the answer, whether it says so or not.
    const isAll = zero !== undefined && turn.fixedUpTo >= lineSample(turn, zero);
    const speechEndSample = isLast || isAll ? zero : undefined;
    if (isLast || isAll) this.#stopWaiting();
    if (turn.latest === '' && speechEndSample === undefined) return;
    this.#report(turn.latest, speechEndSample, toSample, language);
  }

  #report(
    text: string,
    speechEndSample: number | undefined,
    upToSample: number,
    language?: string,
  ): void {
    const recogniser = this.#options.live.id;
    this.#options.onTranscript({ text, speechEndSample, upToSample, language, recogniser });
  }

  #onFault(error: unknown): void {
    this.#options.onFault(error);
    if (this.#turn && !this.#fallback) this.#fallBack();
  }

  /** From the last final word on, what the line has had is heard by the other recogniser. */
  #fallBack(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#pushing?.cancel();
    const zero = this.#zero;
    this.#stopWaiting();
    const { onTranscript } = this.#options;
    const fixed = turn.fixed;
    const heard = turn.fixedUpTo - turn.offset;
    this.#fallback = new BatchTranscriber({
      ...this.#options,
      onTranscript: ({ text, ...rest }) => onTranscript({ ...rest, text: join(fixed, text) }),
    });
    this.#fallback.speech(turn.fromSample + heard + PRE_ROLL);
    if (zero !== undefined) this.#fallback.finalise(zero);
  }

  #stopWaiting(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    this.#zero = undefined;
  }
}

/** The place of a sample of the caller's audio in what the line was sent. */
function lineSample({ offset, fromSample }: LiveTurn, sample: number): number {
  return offset + sample - fromSample;
}

function join(first: string, second: string): string {
  return first && second ? `${first} ${second}` : first || second;
}
