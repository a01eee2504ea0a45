/** Judges from the sound of a turn whether its speaker has finished. */
export interface TurnDetector {
  /**
   * @param samples the turn so far at 16 kHz, pre-roll included; only the last 8 s count.
   * @returns the probability (0…1) that the turn is complete.
   */
  completeness(samples: Float32Array, signal?: AbortSignal): Promise<number>;
}
