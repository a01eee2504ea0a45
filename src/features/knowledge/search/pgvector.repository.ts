import type { Knex } from 'knex';
import { decodeVector } from './vector-encoding.js';
import type { NearPassage } from './vector-index.js';

/** Passages per statement. */
const COPY_BATCH = 200;
/** Key of the advisory lock for creating the table. */
const ADVISORY_LOCK = 0x70_67_76;

interface MissingRow {
  readonly id: number;
  readonly embedding: Buffer;
}

/** A copy of the passages' vectors in pgvector's type. It can be rebuilt at any time. */
export class PgvectorRepository {
  readonly #db: Knex;
  readonly #model: string;

  /** Requires the table that `open` creates. */
  constructor(db: Knex, model: string) {
    this.#db = db;
    this.#model = model;
  }

  /** Creates the table if missing. Not a migration, as most databases lack the extension. */
  static async open(db: Knex, embeddingModel: string): Promise<PgvectorRepository> {
    await db.transaction(async (transaction) => {
      await transaction.raw('select pg_advisory_xact_lock(?)', [ADVISORY_LOCK]);
      await transaction.raw(`
        create table if not exists passage_vectors (
          passage_id bigint not null references passages on delete cascade,
          kb_id integer not null,
          model text not null,
          part integer not null,
          embedding vector not null,
          primary key (passage_id, model, part)
        );
        create index if not exists passage_vectors_of_knowledge_base
          on passage_vectors (kb_id, model);`);
    });
    return new PgvectorRepository(db, embeddingModel);
  }

  /** Copies all vectors of a knowledge base that are missing. */
  async copy(kbId: number, dimensions: number): Promise<void> {
    for (let after = 0; ; ) {
      const rows: MissingRow[] = await this.#db('passages')
        .where({ kb_id: kbId, embedding_model: this.#model })
        .where('id', '>', after)
        .whereNotExists(
          this.#db('passage_vectors')
            .whereRaw('passage_id = passages.id')
            .where({ model: this.#model })
            .select(this.#db.raw('1')),
        )
        .orderBy('id')
        .limit(COPY_BATCH)
        .select('id', 'embedding');
      if (rows.length === 0) return;
      await this.#insert(kbId, rows, dimensions);
      after = rows.at(-1)!.id;
    }
  }

  /** Exact search: the database compares all vectors of the knowledge base. */
  async nearest(kbId: number, query: Float32Array, limit: number): Promise<readonly NearPassage[]> {
    const { rows } = await this.#db.raw<{ rows: NearPassage[] }>(
      `select passage_id as id, max(1 - (embedding <=> ?::vector))::float8 as score
       from passage_vectors where kb_id = ? and model = ? and vector_dims(embedding) = ?
       group by passage_id order by score desc, passage_id limit ?`,
      [toVectorLiteral(query), kbId, this.#model, query.length, limit],
    );
    return rows;
  }

  async #insert(kbId: number, rows: readonly MissingRow[], dimensions: number): Promise<void> {
    const ids: number[] = [];
    const parts: number[] = [];
    const vectors: string[] = [];
    for (const { id, embedding } of rows) {
      const all = decodeVector(embedding);
      for (let part = 0; (part + 1) * dimensions <= all.length; part++) {
        ids.push(id);
        parts.push(part);
        vectors.push(toVectorLiteral(all.subarray(part * dimensions, (part + 1) * dimensions)));
      }
    }
    await this.#db.raw(
      `insert into passage_vectors (passage_id, kb_id, model, part, embedding)
       select given.id, ?, ?, given.part, given.embedding::vector
       from unnest(?::bigint[], ?::integer[], ?::text[]) as given (id, part, embedding)
       join passages on passages.id = given.id
       on conflict do nothing`,
      [kbId, this.#model, ids, parts, vectors],
    );
  }
}

function toVectorLiteral(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
