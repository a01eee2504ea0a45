import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { KnowledgeSearch, Passage } from '../../agents-runtime/agent/knowledge.js';
import type { Embedder } from '../../media/inference/embedder.js';
import type { IndexingRepository, PassageVectors } from './indexing.repository.js';

/** Vectors compared before others get a turn: about a millisecond. */
const COMPARED_AT_ONCE = 2_048;

interface Kept {
  readonly version: number;
  readonly loading: Promise<PassageVectors>;
  bytes: number;
}

/**
 * Exact search over the vectors of a knowledge base, kept in memory while its version stands; the
 * least recently asked ones go first when memory is short.
 */
export class VectorSearch implements KnowledgeSearch {
  readonly #repository: IndexingRepository;
  readonly #dimensions: number;
  readonly #maxBytes: number;
  /** Vectors of one knowledge base. */
  readonly #most: number;
  /** The most recently asked last. */
  readonly #kept = new Map<number, Kept>();

  constructor(
    repository: IndexingRepository,
    embedder: Pick<Embedder, 'dimensions'>,
    maxBytes: number,
  ) {
    this.#repository = repository;
    this.#dimensions = embedder.dimensions;
    this.#maxBytes = maxBytes;
    this.#most = Math.ceil(maxBytes / (embedder.dimensions * Float32Array.BYTES_PER_ELEMENT));
  }

  /** Bytes of vectors that are kept. */
  get keptBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#kept.values()) sum += bytes;
    return sum;
  }

  async search(kbId: number, query: Float32Array, limit: number): Promise<readonly Passage[]> {
    const version = await this.#repository.versionOf(kbId);
    if (version === undefined) {
      this.#kept.delete(kbId);
      return [];
    }
    const { ids, vectors } = await this.#load(kbId, version);
    const nearest = await this.#nearest(ids, vectors, query, limit);
    if (nearest.length === 0) return [];
    const passages = await this.#repository.passages(nearest.map(({ id }) => id));
    const byId = new Map(passages.map((passage) => [passage.id, passage]));
    // One that was deleted meanwhile is not told any more.
    return nearest.flatMap(({ id, score }) => {
      const found = byId.get(id);
      if (!found) return [];
      const { document_id: documentId, heading, text } = found;
      return [{ documentId, heading, text, score }];
    });
  }

  #load(kbId: number, version: number): Promise<PassageVectors> {
    const known = this.#kept.get(kbId);
    if (known?.version === version) {
      this.#kept.delete(kbId);
      this.#kept.set(kbId, known);
      return known.loading;
    }
    const loading = this.#repository.vectorsOf(kbId, this.#dimensions, this.#most);
    const entry: Kept = { version, loading, bytes: 0 };
    this.#kept.delete(kbId);
    this.#kept.set(kbId, entry);
    loading.then(
      ({ vectors }) => {
        entry.bytes = vectors.byteLength;
        this.#makeRoom();
      },
      () => {
        if (this.#kept.get(kbId) === entry) this.#kept.delete(kbId);
      },
    );
    return loading;
  }

  #makeRoom(): void {
    let bytes = this.keptBytes;
    for (const [kbId, kept] of this.#kept) {
      if (bytes <= this.#maxBytes) return;
      bytes -= kept.bytes;
      this.#kept.delete(kbId);
    }
  }

  async #nearest(
    ids: readonly number[],
    vectors: Float32Array,
    query: Float32Array,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly score: number }[]> {
    const best: { id: number; score: number }[] = [];
    for (let i = 0; i < ids.length; i++) {
      if (i > 0 && i % COMPARED_AT_ONCE === 0) await yieldToOthers();
      const score = this.#dot(vectors, i * this.#dimensions, query);
      if (best.length === limit && score <= best.at(-1)!.score) continue;
      const at = best.findIndex((other) => other.score < score);
      best.splice(at < 0 ? best.length : at, 0, { id: ids[i]!, score });
      if (best.length > limit) best.pop();
    }
    return best;
  }

  #dot(vectors: Float32Array, from: number, query: Float32Array): number {
    let sum = 0;
    for (let d = 0; d < this.#dimensions; d++) sum += vectors[from + d]! * query[d]!;
    return sum;
  }
}
