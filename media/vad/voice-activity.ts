/** Samples of one VAD window at 16 kHz: 32 ms. */
export const VAD_WINDOW = 512;

/** One caller's audio in the VAD. */
export interface VoiceActivityStream {
  /** @param window - the next `VAD_WINDOW` samples, mono at 16 kHz, −1…1; copied */
  push(window: Float32Array): void;
  /** Stops the results and releases the stream's state; idempotent. */
  close(): void;
}

/** Computes the probability of speech for each window of audio. */
export interface VoiceActivity {
  /**
   * Opens a stream. The caller closes it.
   * @param onWindow - receives the probability (0…1) of each pushed window, asynchronously and in order
   */
  open(onWindow: (probability: number) => void): VoiceActivityStream;
}
