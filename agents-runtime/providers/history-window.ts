import type { HistoryItem } from '../contract/language-model.js';

/** UTF-8 bytes that count as one token. */
const BYTES_PER_TOKEN = 3;
/** Tokens for role, brackets and ids of each item. */
const ITEM_OVERHEAD_TOKENS = 8;
/** Items are dropped in steps of this fraction of the budget, so that the window starts at the same item for many turns. */
const STEPS = 4;
/** Bytes of each result that stay: the line that marks it as data, and the beginning of the data. */
const MIN_RESULT_BYTES = 500;
const TRUNCATION_NOTE = 'Only the beginning is left of this, as the conversation is long.';

/**
 * Estimates how many tokens a model makes of a text, on the high side: each model of an
 * OpenAI-compatible server has its own vocabulary. Common ones make one token of four letters of English,
 * of two to three letters of Cyrillic (two bytes each) and of one to two Chinese characters (three bytes
 * each), so one token for every three bytes is safe for all of them.
 * Source: the rule of four characters per token in OpenAI's documentation, for English.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * The newest part of a conversation that fits a budget of tokens. It begins with the caller where
 * possible. A tool call and its result are one item, so both stay or both are dropped. The newest turn
 * always stays, with its tool results. The window's start moves in large steps, so that a provider's
 * prompt cache holds from turn to turn.
 */
export function fitHistoryWindow(
  history: readonly HistoryItem[],
  budgetTokens: number,
): readonly HistoryItem[] {
  const sizes = history.map(countTokens);
  const excess = sizes.reduce((sum, size) => sum + size, -budgetTokens);
  if (excess <= 0) return history;
  const step = Math.max(1, Math.floor(budgetTokens / STEPS));
  const toDrop = Math.ceil(excess / step) * step;
  const newest = Math.max(
    0,
    history.findLastIndex(({ role }) => role === 'user'),
  );
  let from = 0;
  for (let dropped = 0; dropped < toDrop && from < newest; from++) dropped += sizes[from]!;
  while (from < newest && history[from]!.role !== 'user') from++;
  return history.slice(from);
}

/**
 * Truncates tool results, the oldest first, until the conversation fits the budget. The newest turn
 * stays whole in a history window, and its tool results may exceed the model's context.
 */
export function truncateToolResults(
  history: readonly HistoryItem[],
  budgetTokens: number,
): readonly HistoryItem[] {
  let excess = history.reduce((sum, item) => sum + countTokens(item), -budgetTokens);
  if (excess <= 0) return history;
  return history.map((item) => {
    const bytes = Buffer.byteLength(item.text);
    if (excess <= 0 || !item.call || bytes <= MIN_RESULT_BYTES) return item;
    const kept =
      Math.max(MIN_RESULT_BYTES, bytes - excess * BYTES_PER_TOKEN) - TRUNCATION_NOTE.length - 1;
    const cut = { ...item, text: `${TRUNCATION_NOTE} ${firstBytes(item.text, kept)}` };
    excess -= countTokens(item) - countTokens(cut);
    return cut;
  });
}

/** Includes the arguments of a tool call. */
function countTokens({ text, call }: HistoryItem): number {
  const callTokens = call ? estimateTokens(call.name) + estimateTokens(call.arguments) : 0;
  return estimateTokens(text) + callTokens + ITEM_OVERHEAD_TOKENS;
}

/** Drops a character that the cut would split. */
function firstBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
