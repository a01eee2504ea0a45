import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Embedder } from '../../../../media/embeddings/embedder.js';
import type { PassageFinder } from '../../../../src/features/knowledge/search/hybrid-retriever.js';
import { HybridSearch } from '../../../../src/features/knowledge/search/hybrid-search.js';

const VERSION = { version: 1, deletions: 0 };
const PASSAGE = { id: 1, documentId: 1, title: '', text: 'The sauna is closed on Mondays.' };
const embedder: Embedder = {
  id: 'any',
  windowTokens: 100,
  isRemote: false,
  embed: async () => [new Float32Array(3)],
};

/** Number of searches; the following flags decide whether both lists are available. */
let finds = 0;
let isComplete = true;
let search: HybridSearch;

beforeEach(() => {
  vi.useFakeTimers();
  [finds, isComplete] = [0, true];
  const finder = {
    versionOf: async () => VERSION,
    find: async () => {
      finds++;
      return { passages: [{ ...PASSAGE, score: 1 }], version: VERSION, isComplete };
    },
    forget: () => undefined,
  } as unknown as PassageFinder;
  search = new HybridSearch({ finder, embedder, log: pino({ level: 'silent' }) });
});
afterEach(() => void vi.useRealTimers());

const ask = (question: string) => search.search(1, question, 5);

describe('hybrid search', () => {
  it('caches the results of a query while the knowledge base is unchanged', async () => {
    await ask('When is the sauna closed');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await ask('When is the sauna closed?')).toHaveLength(1);
    expect(finds).toBe(1);
    await ask('When is it open?');
    expect(finds).toBe(2);
  });

  it('returns results of one list, and searches again later', async () => {
    isComplete = false;
    await ask('When is the sauna closed');
    await ask('When is the sauna closed?');
    expect(finds).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    isComplete = true;
    await ask('When is the sauna closed?');
    expect(finds).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    await ask('When is the sauna closed?');
    expect(finds).toBe(2);
  });
});
