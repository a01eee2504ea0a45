import { tokensOf } from './recent-history.js';
import type { HistoryItem } from './reply-model.js';
import { BYTES_A_TOKEN } from './tokens.js';

/** Of every result so much stays: the line that says that it is data, and some of that. */
const LEAST_BYTES = 500;
const CUT = 'Only the beginning is left of this, as the conversation is long.';

/**
 * The newest turn stays whole in a conversation, and tools may have brought more on it than a model
 * can read: then results are cut to their beginnings, the oldest first, until all fits.
 */
export function shortResults(
  history: readonly HistoryItem[],
  budgetTokens: number,
): readonly HistoryItem[] {
  let excess = history.reduce((sum, item) => sum + tokensOf(item), -budgetTokens);
  if (excess <= 0) return history;
  return history.map((item) => {
    const bytes = Buffer.byteLength(item.text);
    if (excess <= 0 || !item.call || bytes <= LEAST_BYTES) return item;
    const kept = Math.max(LEAST_BYTES, bytes - excess * BYTES_A_TOKEN) - CUT.length - 1;
    const cut = { ...item, text: `${CUT} ${beginningOf(item.text, kept)}` };
    excess -= tokensOf(item) - tokensOf(cut);
    return cut;
  });
}

/** No half of a character is left at its end. */
function beginningOf(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
