/** What a streaming recogniser heard. */
export interface StreamingTranscript {
  readonly text: string;
  /** It does not change any more; else a later one takes its place. */
  readonly isFinal: boolean;
  /** It answers `finalise`: nothing that was sent before is still to come. Not every `finalise` is answered. */
  readonly isLast: boolean;
  /** Samples of the line up to which it heard. */
  readonly toSample: number;
  /** ISO 639-1, where it finds out. */
  readonly language?: string | undefined;
}

export interface TranscriptionStreamOptions {
  /** ISO 639-1 of what is spoken; without it the recogniser finds out. */
  readonly language: string | undefined;
  readonly onResult: (result: StreamingTranscript) => void;
  /** The line broke; it opens again by itself. */
  readonly onFault: (error: unknown) => void;
}

/** One caller's line to a streaming recogniser, open for as long as the call. */
export interface TranscriptionStream {
  /** It hears now what is pushed; it may break at any moment. */
  readonly isOpen: boolean;
  /** Samples that have been pushed since it was opened last. */
  readonly position: number;
  /** @param samples mono at 16 kHz in −1…1. Nothing happens while it is not open. */
  push(samples: Float32Array): void;
  /** Asks for all that was pushed to be made final now. */
  finalise(): void;
  close(): void;
}

/** Speech → text while it is spoken. */
export interface StreamingSpeechToText {
  readonly id: string;
  open(options: TranscriptionStreamOptions): TranscriptionStream;
}
