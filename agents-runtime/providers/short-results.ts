import type { HistoryItem } from '../contract/language-model.js';
import { countHistoryTokens } from './history-window.js';
import { BYTES_PER_TOKEN } from './tokens.js';

/** Of every result so much stays: the line that says that it is data, and some of that. */
const MIN_BYTES = 500;
const CUT = 'Only the beginning is left of this, as the conversation is long.';

/**
 * The newest turn stays whole in a conversation, and tools may have brought more on it than a model
 * can read: then results are cut to their beginnings, the oldest first, until all fits.
 */
export function truncateToolResults(
  history: readonly HistoryItem[],
  budgetTokens: number,
): readonly HistoryItem[] {
  let excess = history.reduce((sum, item) => sum + countHistoryTokens(item), -budgetTokens);
  if (excess <= 0) return history;
  return history.map((item) => {
    const bytes = Buffer.byteLength(item.text);
    if (excess <= 0 || !item.call || bytes <= MIN_BYTES) return item;
    const kept = Math.max(MIN_BYTES, bytes - excess * BYTES_PER_TOKEN) - CUT.length - 1;
    const cut = { ...item, text: `${CUT} ${beginningOf(item.text, kept)}` };
    excess -= countHistoryTokens(item) - countHistoryTokens(cut);
    return cut;
  });
}

/** No half of a character is left at its end. */
function beginningOf(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
