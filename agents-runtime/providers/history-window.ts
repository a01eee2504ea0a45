import type { HistoryItem } from '../contract/language-model.js';
import { estimateTokens } from './tokens.js';

/** Roles, brackets and ids around an item. */
const TOKENS_AROUND = 8;
/** Items go in steps of this share of the budget, so that what stays is the same for many turns. */
const STEPS = 4;

/**
 * The newest part of a conversation that fits a budget of tokens. It begins with the caller, where it
 * can; a tool's call and its result are one item, so they go or stay together; the newest turn always
 * stays, with what tools brought on it. While a conversation grows, its beginning moves
 * seldom: a provider's prompt cache then holds from turn to turn.
 */
export function fitHistoryWindow(
  history: readonly HistoryItem[],
  budgetTokens: number,
): readonly HistoryItem[] {
  const sizes = history.map(countHistoryTokens);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const excess = total - budgetTokens;
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

/** A tool's call counts with its result. */
export function countHistoryTokens({ text, call }: HistoryItem): number {
  const asked = call ? estimateTokens(call.name) + estimateTokens(call.arguments) : 0;
  return estimateTokens(text) + asked + TOKENS_AROUND;
}
