/** One caller's audio in the noise reduction. */
export interface NoiseReductionStream {
  /**
   * @param samples - mono at 16 kHz; copied
   * @param isNoisy - whether to clean them; otherwise they pass unchanged
   */
  push(samples: Float32Array, isNoisy: boolean): void;
  /** Stops the output and releases the stream's state. */
  close(): void;
}

export interface NoiseReductionOptions {
  /**
   * Receives as many samples as were pushed, in order, and with a delay while they are cleaned. The
   * buffer is valid only during the call.
   */
  readonly onSamples: (samples: Float32Array) => void;
  /**
   * Called once, when the stream cannot be cleaned; from then on it passes unchanged. Not called for the
   * loss of a worker: a short stretch passes unchanged, and the next worker cleans the rest.
   */
  readonly onFault: (error: unknown) => void;
}

/** Removes background noise from callers' audio. */
export interface NoiseReduction {
  open(options: NoiseReductionOptions): NoiseReductionStream;
}
