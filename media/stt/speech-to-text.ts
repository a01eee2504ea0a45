import type { Priority } from '../runtime/cpu-scheduler.js';

/** Speech → text for one piece of audio at a time. */
export interface SpeechToText {
  readonly id: string;
  readonly languages: readonly string[];
  /** Pause between two interim transcripts of growing speech, where each costs more than computing. */
  readonly interimEveryMs?: number;
  /**
   * @param samples mono at 16 kHz, at most 12 s; longer audio is an INVALID_INPUT.
   * @throws MediaError ABORTED when the signal fires before the job has begun.
   */
  transcribe(samples: Float32Array, options: TranscribeOptions): Promise<string>;
}

export interface TranscribeOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** ISO 639-1 of what is spoken; without it a recogniser of several languages finds out. */
  readonly language?: string | undefined;
  /** Told, before the text comes, which language was heard, by a recogniser that finds out. */
  readonly onLanguage?: (language: string) => void;
  /** Told, before the text comes, who heard it, where there are several. */
  readonly onRecogniser?: (id: string) => void;
}
