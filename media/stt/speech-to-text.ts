import type { Priority } from '../runtime/cpu-scheduler.js';

/**
 * A recogniser that converts one complete stretch of speech to text. A remote provider implements this interface
 * or `StreamingSpeechToText` and has an entry in `src/calls/providers/stt-providers.ts`.
 * `src/calls/providers/listening-models.ts` loads the local model.
 */
export interface SpeechToText {
  /** Name of the provider in settings, logs and metrics. */
  readonly id: string;
  /** Supported languages, ISO 639-1. */
  readonly languages: readonly string[];
  /** Minimum interval between two interim transcripts in ms, for providers that charge per request. Default: none. */
  readonly interimEveryMs?: number;
  /**
   * @param samples - mono at 16 kHz, −1…1, not changed; callers pass at most 12 s
   * @returns the transcript; its text is empty for audio without speech
   * @throws MediaError INVALID_INPUT if the audio is too long for the recogniser, ABORTED when the signal
   *   fires before the job starts, WORKER_DIED
   */
  transcribe(samples: Float32Array, options: TranscribeOptions): Promise<Transcription>;
}

/** Options of one transcription. */
export interface TranscribeOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** ISO 639-1 of the caller's language; undefined lets a multilingual recogniser detect it. */
  readonly language?: string | undefined;
}

/** The result of one transcription. */
export interface Transcription {
  readonly text: string;
  /** ISO 639-1, if the provider detected it. */
  readonly language?: string;
  /** Id of the provider that transcribed; another one than requested after a fallback. */
  readonly providerId: string;
}

/** A transcript from a streaming recogniser. */
export interface StreamingTranscript {
  readonly text: string;
  /** A final transcript does not change. An interim transcript is replaced by the next one. */
  readonly isFinal: boolean;
  /**
   * The transcript answers `finalise`: all audio that was pushed before is transcribed. A recogniser may
   * leave a `finalise` unanswered.
   */
  readonly answersFinalise: boolean;
  /** Position in samples of the stream up to which audio is transcribed; see `TranscriptionStream.position`. */
  readonly toSample: number;
  /** ISO 639-1, from a recogniser that detects the language. */
  readonly language?: string | undefined;
}

/** Options of a stream, and the receivers of its results. */
export interface TranscriptionStreamOptions {
  /** ISO 639-1 of the caller's language; undefined lets the recogniser detect it. */
  readonly language: string | undefined;
  readonly onResult: (result: StreamingTranscript) => void;
  /** Called when the connection breaks. The stream reconnects. */
  readonly onFault: (error: unknown) => void;
}

/** One caller's connection to a streaming recogniser, for the duration of the call. */
export interface TranscriptionStream {
  /** Whether pushed audio is sent to the recogniser. May change at any time. */
  readonly isOpen: boolean;
  /** Number of samples pushed since the last connection was opened. */
  readonly position: number;
  /** @param samples - mono at 16 kHz, −1…1; copied, discarded while the stream is not open */
  push(samples: Float32Array): void;
  /** Requests final transcripts of all audio that was pushed before. */
  finalise(): void;
  close(): void;
}

/** A recogniser that transcribes speech while it arrives; see `SpeechToText` for the registration of providers. */
export interface StreamingSpeechToText {
  /** Name of the provider in settings, logs and metrics. */
  readonly id: string;
  /** Opens a stream and starts to connect. The caller closes it. */
  open(options: TranscriptionStreamOptions): TranscriptionStream;
}
