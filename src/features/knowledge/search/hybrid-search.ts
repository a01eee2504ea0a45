import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { KnowledgeSearch, Passage } from '../../../../agents-runtime/contract/knowledge.js';
import type { Embedder } from '../../../../media/embeddings/embedder.js';
import type { FoundPassages, PassageFinder } from './hybrid-retriever.js';
import type { KnowledgeVersion } from './vector-index.js';

/** Per list. */
const TIMEOUT_MS = 1_000;
/** Cached searches. The search of an interim transcript also serves the final one. */
const MAX_SEARCHES = 256;
/** Knowledge bases whose latest version is cached. */
const MAX_VERSIONS = 256;
/** Lifetime of a search that lacks a list: long enough for one turn. */
const INCOMPLETE_CACHE_MS = 10_000;

export interface HybridSearchParts {
  readonly finder: PassageFinder;
  readonly embedder: Embedder;
  readonly log: Logger;
  /** Per list, ms. */
  readonly timeoutMs?: number;
}

/** One question to one knowledge base. */
interface Search {
  readonly kbId: number;
  readonly question: string;
  /** The question, normalised. */
  readonly asked: string;
  readonly limit: number;
}

/** Finds passages by vectors and full text, and caches results per version of the knowledge base. */
export class HybridSearch implements KnowledgeSearch {
  readonly #parts: HybridSearchParts;
  readonly #searches = new LRUCache<string, Promise<FoundPassages>>({ max: MAX_SEARCHES });
  /** The versions as of the last search. */
  readonly #versions = new LRUCache<number, KnowledgeVersion>({ max: MAX_VERSIONS });

  constructor(parts: HybridSearchParts) {
    this.#parts = parts;
  }

  async search(kbId: number, question: string, limit: number): Promise<readonly Passage[]> {
    const asked = normalise(question);
    if (asked === '') return [];
    const of: Search = { kbId, asked, question, limit };
    const latest = this.#versions.get(kbId);
    const isKept = latest !== undefined && this.#searches.has(keyOf(latest, of));
    // The version has rarely changed, so this is usually the result.
    const early = latest && this.#at(latest, of);
    early?.catch(() => undefined);
    // A new search returns the version itself, which saves a query.
    const seen = isKept ? undefined : (await early)?.version;
    const version = seen ?? (await this.#parts.finder.versionOf(kbId));
    if (!version) {
      this.#versions.delete(kbId);
      this.#parts.finder.forget(kbId);
      return [];
    }
    this.#versions.set(kbId, version);
    const isSame = latest?.version === version.version && latest.deletions === version.deletions;
    return (await (early && isSame ? early : this.#at(version, of))).passages;
  }

  /** Searches one version of the knowledge base. */
  #at(version: KnowledgeVersion, of: Search): Promise<FoundPassages> {
    const key = keyOf(version, of);
    const known = this.#searches.get(key);
    if (known) return known;
    const search = this.#find(version, of, key);
    search.catch(() => this.#searches.delete(key));
    this.#searches.set(key, search);
    return search;
  }

  async #find(
    version: KnowledgeVersion,
    { kbId, question, limit }: Search,
    key: string,
  ): Promise<FoundPassages> {
    const { finder, timeoutMs = TIMEOUT_MS } = this.#parts;
    const asked = { kbId, version, question, limit, timeoutMs };
    const found = await finder.find(asked, this.#vectorOf(question, timeoutMs));
    if (!found.isComplete)
      setTimeout(() => this.#searches.delete(key), INCOMPLETE_CACHE_MS).unref();
    return found;
  }

  /** Undefined if embedding fails. Never resolves if it is late: the finder logs that. */
  async #vectorOf(question: string, timeoutMs: number): Promise<Float32Array | undefined> {
    const { embedder, log } = this.#parts;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const options = { priority: 'turn', signal, isQuestion: true } as const;
      return (await embedder.embed([question], options))[0];
    } catch (error) {
      if (signal.aborted) return new Promise(() => undefined);
      log.warn({ list: 'vectors', err: error }, 'Cannot search the vectors of a knowledge base');
      return undefined;
    }
  }
}

function keyOf({ version, deletions }: KnowledgeVersion, { kbId, limit, asked }: Search): string {
  return `${kbId} ${version} ${deletions} ${limit} ${asked}`;
}

/** Transcripts of the same words are one question. */
function normalise(question: string): string {
  return question
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
