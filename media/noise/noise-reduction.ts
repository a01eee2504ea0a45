/** One caller's audio in the noise reduction. */
export interface NoiseReductionStream {
  /**
   * @param samples - mono at 16 kHz, −1…1; copied
   * @param isNoisy - whether to clean the samples; otherwise they pass unchanged
   */
  push(samples: Float32Array, isNoisy: boolean): void;
  /** Stops the output and releases the stream's state. */
  close(): void;
}

/** Receivers of one stream's results. */
export interface NoiseReductionOptions {
  /**
   * Receives as many samples as were pushed, in order. Cleaned samples arrive with a delay. The buffer is
   * valid only during the call.
   */
  readonly onSamples: (samples: Float32Array) => void;
  /**
   * Called once, if the stream cannot be cleaned any more; from then on its audio passes unchanged. The loss
   * of a worker does not count: a short stretch passes unchanged, and the next worker cleans the rest.
   */
  readonly onFault: (error: unknown) => void;
}

/** Removes background noise from callers' audio. */
export interface NoiseReduction {
  /** Opens a stream. The caller closes it. */
  open(options: NoiseReductionOptions): NoiseReductionStream;
}
