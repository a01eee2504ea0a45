/** Samples of one VAD window at 16 kHz: 32 ms. */
export const VAD_WINDOW = 512;

/** One caller's line into the VAD. Its state lives where the model runs. */
export interface VoiceActivityStream {
  /** Takes the next window of `VAD_WINDOW` samples at 16 kHz, which it copies. */
  push(window: Float32Array): void;
  close(): void;
}

/** Speech probability of audio, window by window; results come late and in order. */
export interface VoiceActivity {
  /** @param onWindow the probability (0…1) of each window pushed, in order. */
  open(onWindow: (probability: number) => void): VoiceActivityStream;
}
