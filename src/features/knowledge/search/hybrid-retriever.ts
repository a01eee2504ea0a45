import { LRUCache } from 'lru-cache';
import type { Passage } from '../../../../agents-runtime/contract/knowledge.js';
import type {
  FullTextSearchRepository,
  WordHit,
  WordStatistics,
} from './full-text-search.repository.js';
import type { PassagesRepository } from './passages.repository.js';
import { fuseRankings } from './rank-fusion.js';
import type { KnowledgeVersion, NearPassage, VectorIndex } from './vector-index.js';

/** Per list. */
const CANDIDATES = 60;
/** States of knowledge bases whose word statistics are cached. */
const MAX_WORD_STATES = 256;

/** A question to one knowledge base in one of its versions. */
export interface PassageQuery {
  readonly kbId: number;
  readonly version: KnowledgeVersion;
  readonly question: string;
  readonly limit: number;
  /** Per list, ms. */
  readonly timeoutMs: number;
}

/** The passages found in one version of a knowledge base. */
export interface FoundPassages {
  readonly passages: readonly Passage[];
  /** The version in which the passages were read; undefined without passages. */
  readonly version: KnowledgeVersion | undefined;
  /** Whether both lists arrived in time. */
  readonly isComplete: boolean;
}

/** Finds passages of knowledge bases, and reads their versions. */
export interface PassageFinder {
  /** Undefined for an unknown knowledge base. */
  versionOf(kbId: number): Promise<KnowledgeVersion | undefined>;
  /** @param vector - of the question; undefined if embedding failed. Never resolves if it is late */
  find(query: PassageQuery, vector: Promise<Float32Array | undefined>): Promise<FoundPassages>;
  /** Frees the memory of a deleted knowledge base. */
  forget(kbId: number): void;
}

export interface WarningLog {
  warn(fields: object, message: string): void;
}

export interface HybridRetrieverParts {
  readonly repository: Pick<PassagesRepository, 'versionOf' | 'passages'>;
  readonly words: FullTextSearchRepository;
  readonly vectors: VectorIndex;
  readonly log: WarningLog;
}

/**
 * Finds passages by vectors and by full text at the same time, and merges the two lists by rank. A list
 * that is late or fails is left out.
 */
export class HybridRetriever implements PassageFinder {
  readonly #parts: HybridRetrieverParts;
  readonly #words = new LRUCache<string, Promise<WordStatistics>>({ max: MAX_WORD_STATES });

  constructor(parts: HybridRetrieverParts) {
    this.#parts = parts;
  }

  versionOf(kbId: number): Promise<KnowledgeVersion | undefined> {
    return this.#parts.repository.versionOf(kbId);
  }

  forget(kbId: number): void {
    this.#parts.vectors.forget(kbId);
  }

  async find(
    query: PassageQuery,
    vector: Promise<Float32Array | undefined>,
  ): Promise<FoundPassages> {
    const { timeoutMs } = query;
    const [near, shared] = await Promise.all([
      this.#withTimeout('vectors', timeoutMs, this.#nearest(query, vector)),
      this.#withTimeout('words', timeoutMs, this.#byWords(query)),
    ]);
    const isComplete = near !== undefined && shared !== undefined;
    const best = fuseRankings(near ?? [], shared ?? []).slice(0, query.limit);
    if (best.length === 0) return { passages: [], version: undefined, isComplete };
    const read = await this.#parts.repository.passages(best.map(({ id }) => id));
    const byId = new Map(read.passages.map((passage) => [passage.id, passage]));
    // Omits passages that were deleted meanwhile.
    const passages = best.flatMap((one) => {
      const found = byId.get(one.id);
      return found ? [{ ...found, ...one }] : [];
    });
    return { passages, version: read.version, isComplete };
  }

  async #nearest(
    { kbId, version }: PassageQuery,
    vector: Promise<Float32Array | undefined>,
  ): Promise<readonly NearPassage[] | undefined> {
    const queryVector = await vector;
    return queryVector && this.#parts.vectors.nearest(kbId, version, queryVector, CANDIDATES);
  }

  async #byWords({ kbId, version, question }: PassageQuery): Promise<readonly WordHit[]> {
    const words = await this.#wordsOf(kbId, version);
    return this.#parts.words.search(kbId, question, words, CANDIDATES);
  }

  #wordsOf(kbId: number, { version, deletions }: KnowledgeVersion): Promise<WordStatistics> {
    const state = `${kbId} ${version} ${deletions}`;
    const known = this.#words.get(state);
    if (known) return known;
    const words = this.#parts.words.wordsOf(kbId);
    words.catch(() => this.#words.delete(state));
    this.#words.set(state, words);
    return words;
  }

  /** The list; undefined if it is late or fails. */
  async #withTimeout<T>(
    list: string,
    timeoutMs: number,
    making: Promise<readonly T[] | undefined>,
  ): Promise<readonly T[] | undefined> {
    const { log } = this.#parts;
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    const time = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        log.warn(
          { list },
          'A search of a knowledge base was not complete in time: the other list is used',
        );
        resolve(undefined);
      }, timeoutMs);
    });
    const made = making.catch((error: unknown) => {
      if (!isLate) log.warn({ list, err: error }, 'Cannot search a knowledge base');
      return undefined;
    });
    try {
      return await Promise.race([made, time]);
    } finally {
      clearTimeout(timer);
    }
  }
}
