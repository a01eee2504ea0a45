import type { Priority } from '../runtime/cpu-scheduler.js';

/**
 * Speech → text, one complete stretch of audio at a time. A provider implements this or `StreamingSpeechToText`
 * and is registered in `src/calls/providers/stt-providers.ts`, a local model in `src/calls/providers/stt-models.ts`.
 */
export interface SpeechToText {
  readonly id: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** Minimum interval between two interim transcripts in ms, for providers that charge per request. */
  readonly interimEveryMs?: number;
  /**
   * @param samples - mono at 16 kHz in −1…1, at most 12 s
   * @throws MediaError INVALID_INPUT for longer audio, ABORTED when the signal fires before the job starts
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

/** Speech → text while it is spoken. Registered in the same place as `SpeechToText`. */
export interface StreamingSpeechToText {
  readonly id: string;
  open(options: TranscriptionStreamOptions): TranscriptionStream;
}
