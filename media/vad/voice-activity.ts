/** Samples of one VAD window at 16 kHz: 32 ms. */
export const VAD_WINDOW = 512;

/** One caller's audio in the VAD. The model's worker holds its state. */
export interface VoiceActivityStream {
  /** @param window - the next `VAD_WINDOW` samples, mono at 16 kHz; copied */
  push(window: Float32Array): void;
  close(): void;
}

/** Computes the speech probability of audio, window by window; results come asynchronously and in order. */
export interface VoiceActivity {
  /** @param onWindow - receives the probability (0…1) of each pushed window, in order */
  open(onWindow: (probability: number) => void): VoiceActivityStream;
}
