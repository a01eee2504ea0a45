import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type {
  IndexingRepository,
  KnowledgeVersion,
  PassageVectors,
} from './indexing.repository.js';
import type { NearestPassages, NearPassage } from './nearest-passages.js';

/** Vectors compared before others get a turn: about a millisecond. */
const COMPARED_AT_ONCE = 2_048;

interface Kept extends KnowledgeVersion {
  readonly loading: Promise<PassageVectors>;
  bytes: number;
}

/**
 * Exact search over the vectors of a knowledge base, kept in memory while none goes and added to as
 * they come; the least recently asked ones go first when memory is short.
 */
export class VectorSearch implements NearestPassages {
  readonly #repository: IndexingRepository;
  readonly #maxBytes: number;
  /** The most recently asked last. */
  readonly #kept = new Map<number, Kept>();

  /** @param maxBytes of vectors; one knowledge base that has more is searched in part. */
  constructor(repository: IndexingRepository, maxBytes: number) {
    this.#repository = repository;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of vectors that are kept. */
  get keptBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#kept.values()) sum += bytes;
    return sum;
  }

  async nearest(
    kbId: number,
    version: KnowledgeVersion,
    query: Float32Array,
    limit: number,
  ): Promise<readonly NearPassage[]> {
    const { ids, vectors } = await this.#load(kbId, version, query.length);
    const best: NearPassage[] = [];
    for (let from = 0; from < ids.length; ) {
      if (from > 0) await yieldToOthers();
      const to = this.#stepEnd(ids, from);
      this.#compare({ ids, vectors }, { from, to, query, limit, best });
      from = to;
    }
    return best;
  }

  forget(kbId: number): void {
    this.#kept.delete(kbId);
  }

  /** Where a step ends: not inside a passage. */
  #stepEnd(ids: readonly number[], from: number): number {
    let to = Math.min(ids.length, from + COMPARED_AT_ONCE);
    while (to < ids.length && ids[to] === ids[to - 1]) to++;
    return to;
  }

  #compare(
    { ids, vectors }: PassageVectors,
    step: {
      readonly from: number;
      readonly to: number;
      readonly query: Float32Array;
      readonly limit: number;
      readonly best: NearPassage[];
    },
  ): void {
    const { query, limit, best } = step;
    for (let i = step.from; i < step.to; ) {
      const id = ids[i]!;
      let score = -1;
      for (; i < step.to && ids[i] === id; i++) {
        score = Math.max(score, dot(vectors, i * query.length, query));
      }
      if (best.length === limit && score <= best[limit - 1]!.score) continue;
      const at = best.findIndex((other) => other.score < score);
      best.splice(at < 0 ? best.length : at, 0, { id, score });
      if (best.length > limit) best.pop();
    }
  }

  #load(
    kbId: number,
    { version, deletions }: KnowledgeVersion,
    dimensions: number,
  ): Promise<PassageVectors> {
    const known = this.#kept.get(kbId);
    this.#kept.delete(kbId);
    // One that was read a moment later holds all that is asked for.
    if (known && known.deletions === deletions && known.version >= version) {
      this.#kept.set(kbId, known);
      return known.loading;
    }
    const before = known?.deletions === deletions ? known : undefined;
    const loading = this.#read(kbId, { version, dimensions }, before);
    const entry: Kept = { version, deletions, loading, bytes: before?.bytes ?? 0 };
    this.#kept.set(kbId, entry);
    loading.then(
      ({ vectors }) => {
        entry.bytes = vectors.buffer.byteLength;
        this.#makeRoom();
      },
      () => {
        if (this.#kept.get(kbId) === entry) this.#kept.delete(kbId);
      },
    );
    return loading;
  }

  async #read(
    kbId: number,
    { version, dimensions }: { readonly version: number; readonly dimensions: number },
    before: Kept | undefined,
  ): Promise<PassageVectors> {
    const most = Math.ceil(this.#maxBytes / (dimensions * Float32Array.BYTES_PER_ELEMENT));
    const old = await before?.loading.catch(() => undefined);
    const added = await this.#repository.vectorsOf(kbId, {
      dimensions,
      most: most - (old?.ids.length ?? 0),
      after: old ? before!.version : 0,
      upTo: version,
    });
    return old ? joined(old, added) : added;
  }

  #makeRoom(): void {
    let bytes = this.keptBytes;
    for (const [kbId, kept] of this.#kept) {
      if (bytes <= this.#maxBytes) return;
      bytes -= kept.bytes;
      this.#kept.delete(kbId);
    }
  }
}

/** In the old one's memory where that has room: those who still compare there see their own part. */
function joined(old: PassageVectors, added: PassageVectors): PassageVectors {
  if (added.ids.length === 0) return old;
  const length = old.vectors.length + added.vectors.length;
  const vectors = new Float32Array(length);
  vectors.set(old.vectors);
  vectors.set(added.vectors, old.vectors.length);
  return { ids: [...old.ids, ...added.ids], vectors };
}

/** Four sums side by side: each addition then need not wait for the one before it. */
function dot(vectors: Float32Array, from: number, query: Float32Array): number {
  const { length } = query;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += vectors[from + i]! * query[i]!;
    b += vectors[from + i + 1]! * query[i + 1]!;
    c += vectors[from + i + 2]! * query[i + 2]!;
    d += vectors[from + i + 3]! * query[i + 3]!;
  }
  for (; i < length; i++) a += vectors[from + i]! * query[i]!;
  return a + b + c + d;
}
