import type { Priority } from '../runtime/cpu-scheduler.js';

/** The port for speech recognition of whole recordings. */
export interface SpeechToText {
  readonly id: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** Interval between two interim transcripts of growing speech, ms, if each costs more than computing. */
  readonly interimEveryMs?: number;
  /**
   * @param samples - mono at 16 kHz in −1…1, at most 12 s; longer audio is an INVALID_INPUT
   * @throws MediaError ABORTED when the signal fires before the job has begun
   */
  transcribe(samples: Float32Array, options: TranscribeOptions): Promise<Transcription>;
}

export interface TranscribeOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** ISO 639-1. Undefined: a provider of several languages detects it. */
  readonly language?: string | undefined;
}

export interface Transcription {
  readonly text: string;
  /** ISO 639-1, if the provider detected it. */
  readonly language?: string;
  /** The provider that transcribed, for example after a fallback. */
  readonly providerId: string;
}
