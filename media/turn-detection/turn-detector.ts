/** Estimates from the audio of a turn whether its speaker has finished. */
export interface TurnDetector {
  /**
   * @param samples - the turn so far with its pre-roll, mono at 16 kHz, −1…1; copied, only the last 8 s count
   * @returns the probability (0…1) that the turn is complete
   * @throws MediaError ABORTED, MODEL_MISSING, MODEL_CORRUPT, WORKER_DIED
   */
  completeness(samples: Float32Array, signal?: AbortSignal): Promise<number>;
}
