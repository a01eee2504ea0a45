/** One caller's line through the noise reduction. */
export interface NoiseReductionStream {
  /**
   * Takes more samples, mono at 16 kHz, which it copies.
   * @param isNoisy whether they are to be cleaned; what is not passes unchanged.
   */
  push(samples: Float32Array, isNoisy: boolean): void;
  /** Nothing comes any more, and nothing of the line is kept. */
  close(): void;
}

export interface NoiseReductionOptions {
  /**
   * The samples, in order, each in the place of the one that was pushed; they come late while they
   * are cleaned. Valid only inside the call.
   */
  readonly onSamples: (samples: Float32Array) => void;
  /**
   * Called once, when the line cannot be cleaned; from then on it passes unchanged. The loss of a worker
   * is no such fault: a short stretch passes unchanged, and the next worker cleans what follows.
   */
  readonly onFault: (error: unknown) => void;
}

/** Takes noise out of callers' voices. */
export interface NoiseReduction {
  open(options: NoiseReductionOptions): NoiseReductionStream;
}
