import type { Logger } from 'pino';
import { kept } from '../../agents-runtime/agent/kept.js';
import type { KnowledgeSearch, Passage } from '../../agents-runtime/agent/knowledge.js';
import type { Embedder } from '../../media/inference/embedder.js';
import { putNewest } from '../../media/put-newest.js';
import type { IndexingRepository, KnowledgeVersion } from './indexing.repository.js';
import type { NearestPassages, NearPassage } from './nearest-passages.js';
import type { KnowledgeWords, WordHit, WordSearchRepository } from './word-search.repository.js';

/** Of each list. */
const CANDIDATES = 60;
/** Of two shares of words: sums in another order differ a little. */
const EQUAL = 1e-9;
/**
 * Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009), who
 * take 60 for long lists; where only the first few count, ten finds more (the retrieval test).
 */
const RANK_OFFSET = 10;
/** A turn waits no longer for either list. */
const WITHIN_MS = 1_000;
/** Searches that are kept for the same question: an interim transcript's serves the final one. */
const KEPT = 256;
const KEPT_WORDS = 256;

export interface HybridSearchParts {
  readonly repository: IndexingRepository;
  readonly words: WordSearchRepository;
  readonly vectors: NearestPassages;
  readonly embedder: Embedder;
  readonly log: Logger;
  /** For either list. */
  readonly withinMs?: number;
}

/** One question to one knowledge base. */
interface Asked {
  readonly kbId: number;
  readonly question: string;
  /** The same, normalised. */
  readonly asked: string;
  readonly limit: number;
}

/** What was found in a state of a knowledge base. */
interface Found {
  readonly passages: readonly Passage[];
  /** The state in which the passages were read at last; undefined where there are none. */
  readonly version: KnowledgeVersion | undefined;
}

/** What was merged, by id. */
interface Merged {
  readonly id: number;
  readonly score: number;
  readonly similarity: number | undefined;
  readonly wordShare: number;
}

/**
 * Finds passages by meaning and by words at the same time, and merges the two lists by rank. What
 * is late or fails is left out: a call goes on with the other.
 */
export class HybridSearch implements KnowledgeSearch {
  readonly #parts: HybridSearchParts;
  readonly #searches = new Map<string, Promise<Found>>();
  readonly #words = new Map<string, Promise<KnowledgeWords>>();
  /** As they were when they were last searched. */
  readonly #versions = new Map<number, KnowledgeVersion>();

  constructor(parts: HybridSearchParts) {
    this.#parts = parts;
  }

  async search(kbId: number, question: string, limit: number): Promise<readonly Passage[]> {
    const asked = normalised(question);
    if (asked === '') return [];
    const of: Asked = { kbId, asked, question, limit };
    const latest = this.#versions.get(kbId);
    const isKept = latest !== undefined && this.#searches.has(keyOf(latest, of));
    // Most often nothing has changed since: then this is the answer.
    const early = latest && this.#at(latest, of);
    early?.catch(() => undefined);
    // A search that was not made before tells the state itself: who asks costs the others time.
    const seen = isKept ? undefined : (await early)?.version;
    const version = seen ?? (await this.#parts.repository.versionOf(kbId));
    if (!version) {
      this.#versions.delete(kbId);
      this.#parts.vectors.forget(kbId);
      return [];
    }
    putNewest(this.#versions, kbId, version, KEPT_WORDS);
    const isSame = latest?.version === version.version && latest.deletions === version.deletions;
    return (await (early && isSame ? early : this.#at(version, of))).passages;
  }

  /** What is found in a state of the knowledge base. */
  #at(version: KnowledgeVersion, asked: Asked): Promise<Found> {
    return kept(this.#searches, keyOf(version, asked), KEPT, () => this.#search(version, asked));
  }

  async #search(version: KnowledgeVersion, { kbId, question, limit }: Asked): Promise<Found> {
    const state = stateOf(kbId, version);
    const [near, shared] = await Promise.all([
      this.#inTime('vectors', (signal) => this.#near(kbId, version, question, signal)),
      this.#inTime('words', () => this.#sharing(kbId, state, question)),
    ]);
    const best = merged(near, shared).slice(0, limit);
    if (best.length === 0) return { passages: [], version: undefined };
    const read = await this.#parts.repository.passages(best.map(({ id }) => id));
    const byId = new Map(read.passages.map((passage) => [passage.id, passage]));
    // One that was deleted meanwhile is not told any more.
    const passages = best.flatMap((one) => {
      const found = byId.get(one.id);
      return found ? [{ ...found, ...one }] : [];
    });
    return { passages, version: read.version };
  }

  async #near(
    kbId: number,
    version: KnowledgeVersion,
    question: string,
    signal: AbortSignal,
  ): Promise<readonly NearPassage[]> {
    const { embedder, vectors } = this.#parts;
    const options = { priority: 'turn', signal, isQuestion: true } as const;
    const [query] = await embedder.embed([question], options);
    return vectors.nearest(kbId, version, query!, CANDIDATES);
  }

  async #sharing(kbId: number, state: string, question: string): Promise<readonly WordHit[]> {
    const { words } = this.#parts;
    const known = await kept(this.#words, state, KEPT_WORDS, () => words.wordsOf(kbId));
    return words.search(kbId, question, known, CANDIDATES);
  }

  /** A list, or an empty one when it is late or cannot be made. */
  async #inTime<T>(
    list: string,
    make: (signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const time = new Promise<readonly T[]>((resolve) => {
      timer = setTimeout(() => {
        late.abort();
        this.#parts.log.warn({ list }, 'a knowledge base was not searched in time');
        resolve([]);
      }, this.#parts.withinMs ?? WITHIN_MS);
    });
    const work = make(late.signal).catch((error: unknown) => {
      if (!late.signal.aborted) {
        this.#parts.log.warn({ list, err: error }, 'a knowledge base could not be searched');
      }
      return [];
    });
    try {
      return await Promise.race([work, time]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * The lists' entries by the sum of what their ranks are worth. Words count by the share of the
 * question that they are: one common word is no answer. Those that share the same words share a rank.
 */
export function merged(
  near: readonly NearPassage[],
  shared: readonly WordHit[],
): readonly Merged[] {
  const byId = new Map<number, Merged>();
  near.forEach(({ id, score: similarity }, rank) => {
    byId.set(id, { id, score: worth(rank), similarity, wordShare: 0 });
  });
  for (let from = 0; from < shared.length; ) {
    const { share: wordShare } = shared[from]!;
    const next = shared.findIndex(({ share }) => share < wordShare - EQUAL);
    const to = next < 0 ? shared.length : next;
    const more = wordShare * worth((from + to - 1) / 2);
    for (const { id } of shared.slice(from, to)) {
      const { score = 0, similarity } = byId.get(id) ?? {};
      byId.set(id, { id, score: score + more, similarity, wordShare });
    }
    from = to;
  }
  return [...byId.values()].sort((a, b) => b.score - a.score || a.id - b.id);
}

function worth(rank: number): number {
  return 1 / (RANK_OFFSET + rank + 1);
}

function stateOf(kbId: number, { version, deletions }: KnowledgeVersion): string {
  return `${kbId} ${version} ${deletions}`;
}

function keyOf(version: KnowledgeVersion, { kbId, limit, asked }: Asked): string {
  return `${stateOf(kbId, version)} ${limit} ${asked}`;
}

/** Two transcripts of the same words are one question. */
function normalised(question: string): string {
  return question
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
