import { WorkerThread } from '../../media/inference/worker-thread.js';
import type { IndexingRepository, KnowledgeVersion } from './indexing.repository.js';
import type { NearestPassages, NearPassage } from './nearest-passages.js';
import type { PassageVectors, VectorJobs } from './vector-jobs.js';

/** One that was dropped, or whose thread died, while it was asked is read once more. */
const TRIES = 2;

/** Vectors of a knowledge base that the thread holds under a number of ours. */
interface Kept extends KnowledgeVersion {
  readonly set: number;
  readonly loading: Promise<void>;
  bytes: number;
}

/**
 * Exact search over the vectors of a knowledge base, kept in memory while none goes and added to as
 * they come; the least recently asked ones go first when memory is short. A thread of its own keeps
 * and compares them: it takes no permit, as a comparison is over before one would be free.
 */
export class VectorSearch implements NearestPassages {
  readonly #repository: IndexingRepository;
  readonly #maxBytes: number;
  readonly #thread: WorkerThread<VectorJobs>;
  /** The most recently asked last. */
  readonly #kept = new Map<number, Kept>();
  #nextSet = 1;

  /** @param maxBytes of vectors; one knowledge base that has more is searched in part. */
  constructor(repository: IndexingRepository, maxBytes: number) {
    this.#repository = repository;
    this.#maxBytes = maxBytes;
    this.#thread = new WorkerThread(new URL('./vectors.worker.js', import.meta.url), undefined);
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
    for (let tried = 0; tried < TRIES; tried++) {
      const kept = this.#load(kbId, version, query.length);
      await kept.loading;
      const found = await this.#thread.run('nearest', { set: kept.set, query, limit });
      if (found) return found;
      if (this.#kept.get(kbId)?.set === kept.set) this.#kept.delete(kbId);
    }
    return [];
  }

  forget(kbId: number): void {
    const kept = this.#kept.get(kbId);
    if (!kept) return;
    this.#kept.delete(kbId);
    // A thread that died has dropped everything.
    this.#thread.run('drop', { set: kept.set }).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #load(kbId: number, { version, deletions }: KnowledgeVersion, dimensions: number): Kept {
    const known = this.#kept.get(kbId);
    // One that was read a moment later holds all that is asked for.
    if (known && known.deletions === deletions && known.version >= version) {
      this.#kept.delete(kbId);
      this.#kept.set(kbId, known);
      return known;
    }
    const before = known?.deletions === deletions ? known : undefined;
    if (!before) this.forget(kbId);
    const set = before?.set ?? this.#nextSet++;
    const reading = { set, version, dimensions, before };
    const entry: Kept = {
      set,
      version,
      deletions,
      bytes: before?.bytes ?? 0,
      loading: this.#read(kbId, reading).then((bytes) => {
        entry.bytes = bytes;
        this.#makeRoom();
      }),
    };
    this.#kept.delete(kbId);
    this.#kept.set(kbId, entry);
    entry.loading.catch(() => {
      if (this.#kept.get(kbId)?.set === set) this.forget(kbId); // part of it may be missing
    });
    return entry;
  }

  /** @returns bytes of all vectors of the set. */
  async #read(
    kbId: number,
    {
      set,
      version,
      dimensions,
      before,
    }: {
      readonly set: number;
      readonly version: number;
      readonly dimensions: number;
      readonly before: Kept | undefined;
    },
  ): Promise<number> {
    if (before) await before.loading;
    else await this.#add(set, { ids: new Float64Array(0), vectors: new Float32Array(0) });
    let bytes = before?.bytes ?? 0;
    const parts = this.#repository.vectorsOf(kbId, {
      dimensions,
      mostBytes: this.#maxBytes - bytes,
      after: before?.version ?? 0,
      upTo: version,
    });
    let added: Promise<unknown> = Promise.resolve();
    for await (const part of parts) {
      if (this.#kept.get(kbId)?.set !== set) break; // dropped meanwhile: it must not come back
      bytes += part.vectors.byteLength;
      // The thread takes them in order, while the next ones are read.
      added = Promise.all([added, this.#add(set, part)]);
      added.catch(() => undefined);
    }
    await added;
    return bytes;
  }

  #add(set: number, part: PassageVectors): Promise<undefined> {
    return this.#thread.run('add', { set, part }, [part.ids.buffer, part.vectors.buffer]);
  }

  /** The one that was asked last stays, however large. */
  #makeRoom(): void {
    const [last] = [...this.#kept.keys()].slice(-1);
    for (const kbId of this.#kept.keys()) {
      if (kbId === last || this.keptBytes <= this.#maxBytes) return;
      this.forget(kbId);
    }
  }
}
