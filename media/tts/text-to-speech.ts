import { abortError, MediaError } from '../errors.js';
import type { Priority } from '../runtime/cpu-scheduler.js';
import type { Pronounced } from '../text/dictionary/dictionary.js';

/** A text to synthesise: a sentence or a clause for `TextToSpeech`, any number of sentences for `speakText`. */
export interface SynthesisRequest {
  /** Plain text. The front end of the voice expands numbers, abbreviations and `[SPELL:…]`. */
  readonly text: string;
  /**
   * Parts of the text with a transcription, in order. A voice that lacks the phonemes reads the written text
   * instead. Default: none.
   */
  readonly pronounced?: readonly Pronounced[];
  /** ISO 639-1. */
  readonly language: string;
  /** Factor of the voice's noise, 0–2; 1 is as in training. */
  readonly temperature: number;
  /** Truncation of the voice's noise, 0–1; 0.8 is as in training. */
  readonly topP: number;
  /** An integer. Equal requests with equal seeds give equal audio, except for voices of eSpeak NG and remote ones. */
  readonly seed: number;
  /** Factor of the voice's normal speed, 0.5–2. */
  readonly speed: number;
}

/** The time of a word of the utterance. */
export interface WordTime {
  /** Half-open range of UTF-16 indexes in the utterance's text. */
  readonly textStart: number;
  readonly textEnd: number;
  /** Half-open range of samples at the voice's rate, from the start of the utterance. */
  readonly startSample: number;
  readonly endSample: number;
}

/** A chunk of speech. */
export interface SpeechChunk {
  /** Mono, −1…1, at the voice's rate. The receiver owns them. */
  readonly samples: Float32Array;
  /**
   * Words that start in this chunk or later, in order. Usually the first chunk has all words. A voice that splits a
   * very long utterance reports the others with later chunks.
   */
  readonly words: readonly WordTime[];
}

/** Cancellation and urgency of one utterance. */
export interface SpeakOptions {
  readonly signal: AbortSignal;
  /** Priority of the first chunk's job. Later jobs have `later-chunk`. */
  readonly firstPriority: Priority;
  /**
   * Returns the time at which playback of the speech so far ends, in ms of `performance.now()`. Called before each
   * job. Default: each job is due at once.
   */
  readonly dueAt?: (() => number) | undefined;
}

/** UTF-16 units. */
const MAX_TEXT_LENGTH = 20_000;

/**
 * Checks the request of a local voice.
 * @throws MediaError ABORTED, INVALID_INPUT for more than 20,000 UTF-16 units
 */
export function requireSpeakable({ text }: SynthesisRequest, { signal }: SpeakOptions): void {
  if (signal.aborted) throw abortError();
  if (text.length > MAX_TEXT_LENGTH) {
    throw new MediaError(
      'INVALID_INPUT',
      `A text must have at most ${MAX_TEXT_LENGTH} characters; got ${text.length}`,
    );
  }
}

/** A synthetic voice. */
export interface TextToSpeech {
  readonly id: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** Hz. */
  readonly sampleRate: number;
  /**
   * Speaks one utterance. Local voices compute a chunk when it is pulled.
   * @throws MediaError ABORTED when the signal fires, after the last job of the utterance has ended
   * @throws MediaError INVALID_INPUT for a text that is too long, WORKER_DIED, MODEL_MISSING, MODEL_CORRUPT
   */
  speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk>;
  /** Loads the model and runs it once, so that the first request starts at once. */
  warm(): Promise<void>;
  /** Releases the voice's thread. Pending jobs fail with WORKER_DIED. */
  close(): Promise<void>;
}
