import { abortError, MediaError } from '../errors.js';
import type { Priority } from '../runtime/cpu-scheduler.js';
import type { Pronounced } from '../text/dictionary/dictionary.js';

/** One utterance to speak: a sentence or a clause, as a person would write it. */
export interface SynthesisRequest {
  /** Plain text with numbers, abbreviations and `[SPELL:…]` as written; the voice's front end expands it. */
  readonly text: string;
  /**
   * Parts of the text that a voice with a phoneme stage says as they are transcribed, in order; what
   * it cannot say so, and what a voice without one has, is spoken as it is written.
   */
  readonly pronounced?: readonly Pronounced[];
  /** ISO 639-1. */
  readonly language: string;
  /** Scale of the voice's noise; 1.0 is the model's own sound. */
  readonly temperature: number;
  /** Truncation of the voice's noise; 0.8 is the model's own sound. */
  readonly topP: number;
  /** Makes the utterance repeatable. */
  readonly seed: number;
  /** 1 = the model's own pace; 0.5–2. */
  readonly speed: number;
}

/** When a word of the utterance's text is spoken, in samples from the utterance's start. */
export interface WordTime {
  /** Half-open range of UTF-16 indexes in the utterance's text. */
  readonly textStart: number;
  readonly textEnd: number;
  readonly startSample: number;
  readonly endSample: number;
}

/** A piece of speech. The receiver owns `samples` (−1…1, mono, at the voice's rate). */
export interface SpeechChunk {
  readonly samples: Float32Array;
  /**
   * The words that begin with this chunk or later: nearly always all of them come with the first one.
   * A voice that cuts a very long utterance brings the rest with later chunks, in order.
   */
  readonly words: readonly WordTime[];
}

export interface SpeakOptions {
  readonly signal: AbortSignal;
  /** Of the first chunk's job; the later ones stand at `later-chunk`. */
  readonly firstPriority: Priority;
  /**
   * When the listener has heard all that was made so far, in ms of `performance.now()`: asked before
   * each job. Without it every job is due at once.
   */
  readonly dueAt?: (() => number) | undefined;
}

/** In UTF-16 units. */
const MAX_TEXT_LENGTH = 20_000;

/** What local voices ask for before they begin. @throws MediaError ABORTED, INVALID_INPUT */
export function requireSpeakable({ text }: SynthesisRequest, { signal }: SpeakOptions): void {
  if (signal.aborted) throw abortError();
  if (text.length > MAX_TEXT_LENGTH) {
    throw new MediaError('INVALID_INPUT', `A text has more than ${MAX_TEXT_LENGTH} characters`);
  }
}

/** A synthetic voice. Pulling is its backpressure: the next chunk is computed when it is asked for. */
export interface TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  /** Hz. */
  readonly sampleRate: number;
  /** @throws MediaError ABORTED when the signal fires; then no job of the utterance is left. */
  speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk>;
  /** Loads the model and runs it once, so that the first caller does not wait for it. */
  warm(): Promise<void>;
  close(): Promise<void>;
}
