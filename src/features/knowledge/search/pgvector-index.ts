import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { WarningLog } from './hybrid-retriever.js';
import type { PgvectorRepository } from './pgvector.repository.js';
import type { KnowledgeVersion, NearPassage, VectorIndex } from './vector-index.js';

/** Knowledge bases of which it is kept how far they were copied. */
const MAX_TRACKED = 1_000;

/**
 * Search by the database's own vectors, where it has the extension pgvector: nothing is kept in
 * memory. A knowledge base whose vectors were not all copied yet is searched by another.
 */
export class PgvectorIndex implements VectorIndex {
  readonly #repository: PgvectorRepository;
  readonly #fallback: VectorIndex;
  readonly #log: WarningLog;
  /** The version up to which a knowledge base was copied. */
  readonly #copied = new Map<number, number>();
  readonly #copying = new Map<number, Promise<void>>();

  constructor(repository: PgvectorRepository, meanwhile: VectorIndex, log: WarningLog) {
    this.#repository = repository;
    this.#fallback = meanwhile;
    this.#log = log;
  }

  async nearest(
    kbId: number,
    version: KnowledgeVersion,
    query: Float32Array,
    limit: number,
  ): Promise<readonly NearPassage[]> {
    if ((this.#copied.get(kbId) ?? 0) < version.version) {
      this.#copy(kbId, version.version, query.length);
      return this.#fallback.nearest(kbId, version, query, limit);
    }
    this.#fallback.forget(kbId);
    return this.#repository.nearest(kbId, query, limit);
  }

  forget(kbId: number): void {
    this.#copied.delete(kbId);
    this.#fallback.forget(kbId);
  }

  /** Waits for what is being copied. */
  async close(): Promise<void> {
    await Promise.all(this.#copying.values());
  }

  /** One copy of a knowledge base at a time; what comes meanwhile is for the next search. */
  #copy(kbId: number, version: number, dimensions: number): void {
    if (this.#copying.has(kbId)) return;
    const copy = this.#repository
      .copy(kbId, dimensions)
      .then(() => {
        if (this.#copied.size >= MAX_TRACKED) this.#copied.clear();
        this.#copied.set(kbId, version);
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'vectors could not be copied'))
      .finally(() => this.#copying.delete(kbId));
    this.#copying.set(kbId, copy);
  }
}

/** Says whether the database has the extension, and puts it there if it may. */
export async function hasPgvector(db: Knex, log: Logger): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { installed_version: string | null }[] }>(
    "select installed_version from pg_available_extensions where name = 'vector'",
  );
  const [extension] = rows;
  if (!extension) return false;
  if (extension.installed_version !== null) return true;
  try {
    await db.raw('create extension if not exists vector');
    return true;
  } catch (error) {
    log.info({ err: error }, 'pgvector is there, but this user may not install it');
    return false;
  }
}
