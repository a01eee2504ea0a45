import type { Priority } from '../runtime/cpu-scheduler.js';

/**
 * A recogniser: speech → text, one complete stretch of audio at a time. A remote provider implements this or
 * `StreamingSpeechToText` and has an entry in `src/calls/providers/stt-providers.ts`; the local model is loaded by
 * `src/calls/providers/listening-models.ts`.
 */
export interface SpeechToText {
  readonly id: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** Minimum interval between two interim transcripts in ms, for providers that charge per request. */
  readonly interimEveryMs?: number;
  /**
   * @param samples - mono at 16 kHz in −1…1. Callers pass at most 12 s; a recogniser may accept more
   * @throws MediaError INVALID_INPUT if the audio is too long for the recogniser, ABORTED when the signal fires before the job starts
   */
  transcribe(samples: Float32Array, options: TranscribeOptions): Promise<Transcription>;
}

export interface TranscribeOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** ISO 639-1 of the caller's language; undefined lets a multilingual recogniser detect it. */
  readonly language?: string | undefined;
}

export interface Transcription {
  readonly text: string;
  /** ISO 639-1, if the provider detected it. */
  readonly language?: string;
  /** The provider that transcribed, for example after a fallback. */
  readonly providerId: string;
}

/** A transcript from a streaming recogniser. */
export interface StreamingTranscript {
  readonly text: string;
  /** A final transcript does not change; an interim one is replaced by the next. */
  readonly isFinal: boolean;
  /**
   * Answers `finalise`: all audio sent before it has been transcribed. Not every `finalise` is answered.
   */
  readonly answersFinalise: boolean;
  /** Position in the stream up to which audio was transcribed, in samples. */
  readonly toSample: number;
  /** ISO 639-1, from a recogniser that detects the language. */
  readonly language?: string | undefined;
}

export interface TranscriptionStreamOptions {
  /** ISO 639-1 of the caller's language; undefined lets the recogniser detect it. */
  readonly language: string | undefined;
  readonly onResult: (result: StreamingTranscript) => void;
  /** Called when the connection broke; the stream reconnects. */
  readonly onFault: (error: unknown) => void;
}

/** One caller's connection to a streaming recogniser, for the duration of the call. */
export interface TranscriptionStream {
  /** Whether pushed audio reaches the recogniser; may become false at any time. */
  readonly isOpen: boolean;
  /** Samples pushed since the last connection was opened. */
  readonly position: number;
  /** @param samples - mono at 16 kHz, −1…1; discarded while the stream is not open */
  push(samples: Float32Array): void;
  /** Requests final transcripts of all audio pushed so far. */
  finalise(): void;
  close(): void;
}

/** A streaming recogniser: speech → text while it is spoken. Has an entry in the same file as `SpeechToText`. */
export interface StreamingSpeechToText {
  readonly id: string;
  open(options: TranscriptionStreamOptions): TranscriptionStream;
}
