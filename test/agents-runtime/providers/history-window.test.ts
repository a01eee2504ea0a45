import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../../../agents-runtime/contract/language-model.js';
import {
  estimateTokens,
  fitHistoryWindow,
} from '../../../agents-runtime/providers/history-window.js';
import '../../support/harness/process/property-seed.js';

const item = fc.record({
  role: fc.constantFrom('user', 'agent', 'tool'),
  length: fc.integer({ min: 0, max: 2_000 }),
});
const conversation = fc.array(item, { maxLength: 80 }).map((items) => items.map(historyItem));

function historyItem({ role, length }: { role: HistoryItem['role']; length: number }): HistoryItem {
  const said = { role, text: 'x'.repeat(length), cut: false };
  if (role !== 'tool') return said;
  return { ...said, call: { type: 'tool-call', id: 'a', name: 'look', arguments: '{}' } };
}

const tokensIn = (items: readonly HistoryItem[]) =>
  items.reduce((sum, { text }) => sum + estimateTokens(text), 0);

describe('history window', () => {
  it('contains a short conversation completely', () => {
    const all = [
      historyItem({ role: 'user', length: 30 }),
      historyItem({ role: 'tool', length: 9 }),
    ];
    expect(fitHistoryWindow(all, 100)).toBe(all);
  });

  it('is a suffix that fits, starts with the caller and contains the newest turn completely', () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 100, max: 20_000 }), (all, budget) => {
        const kept = fitHistoryWindow(all, budget);
        const from = all.length - kept.length;
        expect(kept).toEqual(all.slice(from));
        const newest = all.findLastIndex(({ role }) => role === 'user');
        if (newest >= 0) expect(from).toBeLessThanOrEqual(newest);
        if (from > 0) expect(kept[0]?.role).toBe('user');
        if (newest > from) expect(tokensIn(kept)).toBeLessThanOrEqual(budget);
      }),
    );
  });

  it('keeps its start for many turns, so that a prompt cache stays valid', () => {
    const all: HistoryItem[] = [];
    const beginnings = new Set<number>();
    for (let turn = 0; turn < 400; turn++) {
      all.push(
        historyItem({ role: 'user', length: 120 }),
        historyItem({ role: 'agent', length: 240 }),
      );
      beginnings.add(all.length - fitHistoryWindow(all, 4_000).length);
    }
    // 400 turns of about 136 tokens, dropped in steps of 1,000 tokens.
    expect(beginnings.size).toBeLessThan(60);
    expect(beginnings.size).toBeGreaterThan(10);
  });

  it('overestimates the tokens of every script', () => {
    expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBeGreaterThanOrEqual(
      10,
    );
    expect(estimateTokens('Съешь же ещё этих мягких французских булок')).toBeGreaterThanOrEqual(19);
    expect(estimateTokens('我们明天早上八点开门')).toBeGreaterThanOrEqual(10);
  });
});
