import type {
  StreamingSpeechToText,
  StreamingTranscript,
  TranscriptionStream,
} from '../../media/stt/speech-to-text.js';
import type { Timer } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { PRE_ROLL_SAMPLES } from './audio-ring-buffer.js';
import {
  BatchTranscriber,
  type BatchTranscriberOptions,
  joinTexts,
  TAIL_SAMPLES,
} from './batch-transcriber.js';

/** Interval at which audio is sent, ms. */
const PUSH_INTERVAL_MS = 100;
/** Time limit of a final transcript, ms. */
const FINAL_TIMEOUT_MS = 1_000;
/** Without an answer to `finalise`, the newest text counts if at most this much is missing, in samples: 500 ms. */
const MAX_MISSING = 8_000;

export interface StreamingTranscriberOptions extends BatchTranscriberOptions {
  /** `speechToText` is its fallback. */
  readonly streamingSpeechToText: StreamingSpeechToText;
}

/** The progress of one turn. Positions in the stream count the samples that were sent to it. */
interface StreamedTurn {
  readonly fromSample: number;
  /** Position in the stream of the turn's first sample. */
  readonly offset: number;
  sentUpTo: number;
  /** Final text, and its end in the stream. */
  fixed: string;
  fixedUpTo: number;
  /** The final and the interim text. */
  latest: string;
  /** End of the transcribed audio in the stream. */
  transcribedUpTo: number;
}

/**
 * Transcribes one caller's speech while it is spoken. If the stream is not open or breaks, the fallback
 * transcribes the rest of the turn, from the end of the final text.
 */
export class StreamingTranscriber {
  readonly #options: StreamingTranscriberOptions;
  readonly #stream: TranscriptionStream;
  #turn: StreamedTurn | undefined;
  #fallback: BatchTranscriber | undefined;
  /** End of the turn before: the pre-roll starts no earlier. */
  #notBefore = 0;
  /** The last sample of speech before the newest pause of the turn. */
  #pausedAt = 0;
  /** The pause that awaits its final transcript. */
  #speechEndSample: number | undefined;
  #pushTimer: Timer | undefined;
  #finalTimer: Timer | undefined;

  constructor(options: StreamingTranscriberOptions) {
    this.#options = options;
    const { streamingSpeechToText, language, boundary } = options;
    this.#stream = streamingSpeechToText.open({
      language,
      onResult: boundary.guard((result) => this.#onResult(result)),
      onFault: boundary.guard((error) => this.#onFault(error)),
    });
  }

  /** Speech of a new turn, or after a pause of the same turn. */
  speech(startSample: number): void {
    this.#stopFinalTimer();
    if (this.#fallback) {
      this.#fallback.speech(startSample);
      return;
    }
    const fromSample = Math.max(this.#notBefore, startSample - PRE_ROLL_SAMPLES);
    const offset = this.#stream.position;
    this.#turn ??= {
      fromSample,
      offset,
      sentUpTo: fromSample,
      fixed: '',
      fixedUpTo: offset,
      latest: '',
      transcribedUpTo: offset,
    };
    if (this.#stream.isOpen) this.#push();
    else this.#fallBack();
  }

  /** Speech has paused: requests the final transcript. */
  finalise(speechEndSample: number): void {
    this.#pushTimer?.cancel();
    this.#pausedAt = speechEndSample;
    if (this.#fallback) {
      this.#fallback.finalise(speechEndSample);
      return;
    }
    if (!this.#turn) return;
    this.#send(speechEndSample + TAIL_SAMPLES);
    this.#speechEndSample = speechEndSample;
    this.#stream.finalise();
    this.#finalTimer?.cancel();
    this.#finalTimer = this.#options.clock.after(FINAL_TIMEOUT_MS, () => this.#onNoAnswer());
  }

  /** A stream that has transcribed all of the speech may leave `finalise` unanswered. */
  #onNoAnswer(): void {
    const turn = this.#turn;
    const speechEndSample = this.#speechEndSample;
    if (!turn || speechEndSample === undefined) return;
    if (
      this.#stream.isOpen &&
      turn.transcribedUpTo >= positionInStream(turn, speechEndSample) - MAX_MISSING
    ) {
      this.#stopFinalTimer();
      this.#report(turn.latest, speechEndSample, turn.transcribedUpTo);
      return;
    }
    this.#options.onFault(new CallError('TIMED_OUT', 'The final transcript timed out'));
    this.#fallBack();
  }

  /** The turn is over; the next speech starts a new one. */
  reset(): void {
    if (this.#turn) {
      this.#notBefore = Math.max(this.#notBefore, this.#turn.sentUpTo, this.#pausedAt);
    }
    this.#pushTimer?.cancel();
    this.#stopFinalTimer();
    this.#fallback?.close();
    this.#fallback = undefined;
    this.#turn = undefined;
  }

  close(): void {
    this.reset();
    this.#stream.close();
  }

  #push(): void {
    this.#pushTimer?.cancel();
    this.#send(this.#options.recentAudio.end);
    this.#pushTimer = this.#options.clock.after(PUSH_INTERVAL_MS, () => this.#push());
  }

  /** Sends the audio after the part already sent. */
  #send(upTo: number): void {
    const turn = this.#turn;
    const { recentAudio } = this.#options;
    const end = Math.min(upTo, recentAudio.end);
    if (!turn || end <= turn.sentUpTo) return;
    this.#stream.push(recentAudio.slice(turn.sentUpTo, end));
    turn.sentUpTo = end;
  }

  #onResult({ text, isFinal, answersFinalise, toSample, language }: StreamingTranscript): void {
    const turn = this.#turn;
    // A result of an earlier turn, or of audio whose text is already final.
    const isLate =
      !turn || toSample <= turn.offset || (!answersFinalise && toSample <= turn.fixedUpTo);
    if (isLate || this.#fallback) return;
    if (isFinal && toSample > turn.fixedUpTo) {
      turn.fixed = joinTexts(turn.fixed, text);
      turn.fixedUpTo = toSample;
      turn.latest = turn.fixed;
    } else if (!isFinal) turn.latest = joinTexts(turn.fixed, text);
    turn.transcribedUpTo = Math.max(turn.transcribedUpTo, toSample);
    const pauseSample = this.#speechEndSample;
    // A final text that reaches the pause is the answer, with or without `answersFinalise`.
    const isComplete =
      pauseSample !== undefined && turn.fixedUpTo >= positionInStream(turn, pauseSample);
    const speechEndSample = answersFinalise || isComplete ? pauseSample : undefined;
    if (answersFinalise || isComplete) this.#stopFinalTimer();
    if (turn.latest === '' && speechEndSample === undefined) return;
    this.#report(turn.latest, speechEndSample, toSample, language);
  }

  #report(
    text: string,
    speechEndSample: number | undefined,
    upToSample: number,
    language?: string,
  ): void {
    const providerId = this.#options.streamingSpeechToText.id;
    this.#options.onTranscript({ text, speechEndSample, upToSample, language, providerId });
  }

  #onFault(error: unknown): void {
    this.#options.onFault(error);
    if (this.#turn && !this.#fallback) this.#fallBack();
  }

  /** The fallback transcribes the turn from the end of the final text. */
  #fallBack(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#pushTimer?.cancel();
    const pauseSample = this.#speechEndSample;
    this.#stopFinalTimer();
    const { onTranscript } = this.#options;
    const fixed = turn.fixed;
    const fixedSamples = turn.fixedUpTo - turn.offset;
    this.#fallback = new BatchTranscriber({
      ...this.#options,
      onTranscript: ({ text, ...rest }) => onTranscript({ ...rest, text: joinTexts(fixed, text) }),
    });
    this.#fallback.speech(turn.fromSample + fixedSamples + PRE_ROLL_SAMPLES);
    if (pauseSample !== undefined) this.#fallback.finalise(pauseSample);
  }

  #stopFinalTimer(): void {
    this.#finalTimer?.cancel();
    this.#finalTimer = undefined;
    this.#speechEndSample = undefined;
  }
}

/** The position in the stream of a sample of the caller's audio. */
function positionInStream({ offset, fromSample }: StreamedTurn, sample: number): number {
  return offset + sample - fromSample;
}
