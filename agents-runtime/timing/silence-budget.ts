/**
 * Longest silence after a caller's turn in milliseconds: LLM, filler and voice together. A voice that has
 * delivered no audio by then counts as failed, and the next voice speaks. Together with the shortest
 * endpointing delay and the time of the next voice, the caller waits at most 5 s after the last word.
 */
const SILENCE_BUDGET_MS = 4_000;
/** Shortest timeout of a voice in milliseconds, even if the budget is used up. */
const MIN_VOICE_MS = 1_500;

/** Timeout in milliseconds of a voice that starts now. @param quietMs - silence since the caller's turn ended */
export function voiceTimeoutMs(quietMs: number): number {
  return Math.max(MIN_VOICE_MS, SILENCE_BUDGET_MS - quietMs);
}

/** Whether the budget has room for the same voice once more. */
export function canRetryVoice(quietMs: number): boolean {
  return SILENCE_BUDGET_MS - quietMs >= MIN_VOICE_MS;
}
