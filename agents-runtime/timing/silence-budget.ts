/**
 * A caller who has heard nothing for this long (ms) after their turn has waited for the model, a filler
 * and the voice together: the voice that was asked has failed then, and the next one speaks. With the
 * shortest endpointing delay and the next voice's own time, that is at most 5 s after the last word.
 */
const SILENCE_BUDGET_MS = 4_000;
/** A voice gets at least this long, however late it is asked. */
const MIN_VOICE_MS = 1_500;

/** How long a voice that is asked now may take. @param quietMs what the caller has waited already. */
export function voiceTimeoutMs(quietMs: number): number {
  return Math.max(MIN_VOICE_MS, SILENCE_BUDGET_MS - quietMs);
}

/** Whether the budget has room for the same voice once more. */
export function canRetryVoice(quietMs: number): boolean {
  return SILENCE_BUDGET_MS - quietMs >= MIN_VOICE_MS;
}
