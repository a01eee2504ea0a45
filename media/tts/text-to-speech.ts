import { abortError, MediaError } from '../errors.js';
import type { Priority } from '../runtime/cpu-scheduler.js';
import type { Pronounced } from '../text/dictionary/dictionary.js';

/** A text to synthesise: a sentence or a clause for `TextToSpeech`, any number of sentences for `speakText`. */
export interface SynthesisRequest {
  /** Plain text with numbers, abbreviations and `[SPELL:…]` as written; the voice's front end expands it. */
  readonly text: string;
  /**
   * Parts of the text with a transcription, in order. A voice without phonemes, or without these
   * phonemes, reads the written text instead.
   */
  readonly pronounced?: readonly Pronounced[];
  /** ISO 639-1. */
  readonly language: string;
  /** Scale of the voice's noise, 0–2; 1 is the model's own sound. */
  readonly temperature: number;
  /** Truncation of the voice's noise, 0–1; 0.8 is the model's own sound. */
  readonly topP: number;
  /** An integer. Equal requests with the same seed give the same audio. */
  readonly seed: number;
  /** Factor of the model's own pace, 0.5–2; 1 leaves it unchanged. */
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

/** A chunk of speech. The receiver owns `samples` (−1…1, mono, at the voice's rate). */
export interface SpeechChunk {
  readonly samples: Float32Array;
  /**
   * Words that start in this chunk or later, in order. Usually the first chunk has all words; a voice
   * that splits a very long utterance adds the others to later chunks.
   */
  readonly words: readonly WordTime[];
}

export interface SpeakOptions {
  readonly signal: AbortSignal;
  /** Priority of the first chunk's job; later ones have `later-chunk`. */
  readonly firstPriority: Priority;
  /**
   * When playback of the speech so far ends, in milliseconds of `performance.now()`. Called before each
   * job. If undefined, every job is due at once.
   */
  readonly dueAt?: (() => number) | undefined;
}

/** In UTF-16 units. */
const MAX_TEXT_LENGTH = 20_000;

/** Checks the request of a local voice. @throws MediaError ABORTED, INVALID_INPUT */
export function requireSpeakable({ text }: SynthesisRequest, { signal }: SpeakOptions): void {
  if (signal.aborted) throw abortError();
  if (text.length > MAX_TEXT_LENGTH) {
    throw new MediaError('INVALID_INPUT', `A text has more than ${MAX_TEXT_LENGTH} characters`);
  }
}

/** A synthetic voice. It computes a chunk when the chunk is pulled. */
export interface TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  /** Hz. */
  readonly sampleRate: number;
  /** @throws MediaError ABORTED when the signal fires; no job of the utterance remains then */
  speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk>;
  /** Loads the model and runs it once, so that the first request starts at once. */
  warm(): Promise<void>;
  close(): Promise<void>;
}
