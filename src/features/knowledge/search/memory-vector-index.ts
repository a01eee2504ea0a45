import { DotProducts } from '../../../../media/embeddings/dot-products.js';
import type { PassagesRepository } from './passages.repository.js';
import { appendPart, findNearest, type VectorColumns } from './vector-comparison.js';
import type { KnowledgeVersion, NearPassage, VectorIndex } from './vector-index.js';

/** Vectors of a knowledge base as of one of its states. */
interface LoadedVectors extends KnowledgeVersion {
  readonly loading: Promise<readonly VectorColumns[]>;
  bytes: number;
}

/** What is read of a knowledge base, beyond what was before. */
interface LoadOptions {
  readonly version: number;
  readonly dimensions: number;
  readonly before: LoadedVectors | undefined;
}

/**
 * Exact search over the vectors of a knowledge base, kept in memory while none goes and added to as
 * they come; the least recently asked ones go first when memory is short. For a worker's thread: a
 * comparison keeps it busy.
 */
export class MemoryVectorIndex implements VectorIndex {
  readonly #repository: PassagesRepository;
  readonly #maxBytes: number;
  readonly #products = DotProducts.open();
  /** The most recently asked last. */
  readonly #loaded = new Map<number, LoadedVectors>();

  /** @param maxBytes of vectors; one knowledge base that has more is searched in part. */
  constructor(repository: PassagesRepository, maxBytes: number) {
    this.#repository = repository;
    this.#maxBytes = maxBytes;
    this.#products.catch(() => undefined); // told to who asks
  }

  /** Bytes of vectors that are kept. */
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
    // One that was read a moment later holds all that is asked for.
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
      if (this.#loaded.get(kbId) === entry) this.forget(kbId); // part of it may be missing
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

  /** The one that was asked last stays, however large. */
  #evict(): void {
    const [last] = [...this.#loaded.keys()].slice(-1);
    for (const kbId of this.#loaded.keys()) {
      if (kbId === last || this.loadedBytes <= this.#maxBytes) return;
      this.forget(kbId);
    }
  }
}
