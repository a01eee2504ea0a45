import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { WarningLog } from './hybrid-retriever.js';
import type { PgvectorRepository } from './pgvector.repository.js';
import type { KnowledgeVersion, NearPassage, VectorIndex } from './vector-index.js';

/** Knowledge bases whose copied version is tracked. */
const MAX_TRACKED = 1_000;

/**
 * Searches with the database extension pgvector, without vectors in memory. While vectors of a knowledge
 * base are being copied, searches use the fallback index.
 */
export class PgvectorIndex implements VectorIndex {
  readonly #repository: PgvectorRepository;
  readonly #fallback: VectorIndex;
  readonly #log: WarningLog;
  /** The copied version by knowledge base. */
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

  /** Waits for running copies. */
  async close(): Promise<void> {
    await Promise.all(this.#copying.values());
  }

  /** Runs one copy per knowledge base at a time. */
  #copy(kbId: number, version: number, dimensions: number): void {
    if (this.#copying.has(kbId)) return;
    const copy = this.#repository
      .copy(kbId, dimensions)
      .then(() => {
        if (this.#copied.size >= MAX_TRACKED) this.#copied.clear();
        this.#copied.set(kbId, version);
      })
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'Cannot copy vectors into the table of pgvector'),
      )
      .finally(() => this.#copying.delete(kbId));
    this.#copying.set(kbId, copy);
  }
}

/** Whether the database has the extension. Installs it if permitted. */
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
    log.info(
      { err: error },
      'The database has pgvector, but this user may not install it: searches use the vectors in memory',
    );
    return false;
  }
}
