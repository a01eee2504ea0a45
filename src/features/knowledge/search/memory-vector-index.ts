import { DotProducts } from '../../../../media/embeddings/dot-products.js';
import type { PassagesRepository } from './passages.repository.js';
import { appendPart, findNearest, type VectorColumns } from './vector-comparison.js';
import type { KnowledgeVersion, NearPassage, VectorIndex } from './vector-index.js';

/** The vectors of a knowledge base in one of its versions. */
interface LoadedVectors extends KnowledgeVersion {
  readonly loading: Promise<readonly VectorColumns[]>;
  bytes: number;
}

/** The vectors to load, in addition to `before`. */
interface LoadOptions {
  readonly version: number;
  readonly dimensions: number;
  readonly before: LoadedVectors | undefined;
}

/**
 * Exact search over the vectors of a knowledge base in memory. Adds new vectors; reloads after a deletion;
 * evicts the least recently used knowledge bases. For worker threads, as a comparison blocks.
 */
export class MemoryVectorIndex implements VectorIndex {
  readonly #repository: PassagesRepository;
  readonly #maxBytes: number;
  readonly #products = DotProducts.open();
  /** Most recently used last. */
  readonly #loaded = new Map<number, LoadedVectors>();

  /** @param maxBytes - of vectors. Of a larger knowledge base, only a part is searched */
  constructor(repository: PassagesRepository, maxBytes: number) {
    this.#repository = repository;
    this.#maxBytes = maxBytes;
    this.#products.catch(() => undefined); // thrown by `nearest`
  }

  /** Bytes of loaded vectors. */
  get loadedBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#loaded.values()) sum += bytes;
    return sum;
  }

  async nearest(
    kbId: number,
    version: KnowledgeVersion,
    query: Float32Array,
    limit: number,
  ): Promise<readonly NearPassage[]> {
    const parts = await this.#load(kbId, version, query.length).loading;
    return findNearest(await this.#products, parts, { query, limit });
  }

  forget(kbId: number): void {
    this.#loaded.delete(kbId);
  }

  #load(kbId: number, { version, deletions }: KnowledgeVersion, dimensions: number): LoadedVectors {
    const known = this.#loaded.get(kbId);
    this.#loaded.delete(kbId);
    // A newer version contains all requested vectors.
    if (known && known.deletions === deletions && known.version >= version) {
      this.#loaded.set(kbId, known);
      return known;
    }
    const before = known?.deletions === deletions ? known : undefined;
    const entry: LoadedVectors = {
      version,
      deletions,
      bytes: before?.bytes ?? 0,
      loading: this.#read(kbId, { version, dimensions, before }).then(({ columns, bytes }) => {
        entry.bytes = bytes;
        this.#evict();
        return columns;
      }),
    };
    this.#loaded.set(kbId, entry);
    entry.loading.catch(() => {
      if (this.#loaded.get(kbId) === entry) this.forget(kbId); // it may be incomplete
    });
    return entry;
  }

  async #read(
    kbId: number,
    { version, dimensions, before }: LoadOptions,
  ): Promise<{ readonly columns: readonly VectorColumns[]; readonly bytes: number }> {
    let columns = (await before?.loading) ?? [];
    let bytes = before?.bytes ?? 0;
    const parts = this.#repository.vectorsOf(kbId, {
      dimensions,
      maxBytes: this.#maxBytes - bytes,
      after: before?.version ?? 0,
      upTo: version,
    });
    for await (const part of parts) {
      bytes += part.vectors.byteLength;
      columns = appendPart(columns, part);
    }
    return { columns, bytes };
  }

  /** Never evicts the most recently used one. */
  #evict(): void {
    const [last] = [...this.#loaded.keys()].slice(-1);
    for (const kbId of this.#loaded.keys()) {
      if (kbId === last || this.loadedBytes <= this.#maxBytes) return;
      this.forget(kbId);
    }
  }
}
