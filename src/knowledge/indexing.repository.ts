import type { Knex } from 'knex';

/** A document that failed so often in a row is left alone until the next start. */
export const MOST_FAILURES = 3;
/** Vectors that are read in one query: some milliseconds of parsing. */
const READ_AT_ONCE = 500;
const INSERT_AT_ONCE = 200;

export interface NewPassage {
  readonly heading: string;
  readonly text: string;
}

export interface StoredPassage extends NewPassage {
  readonly id: number;
}

export interface FoundPassage extends StoredPassage {
  readonly document_id: number;
}

/** A document with work to do; its knowledge base is locked by the transaction. */
export interface PendingDocument {
  readonly id: number;
  readonly kbId: number;
  readonly isSplit: boolean;
}

/** The vectors of one knowledge base, one after the other. */
export interface PassageVectors {
  readonly ids: readonly number[];
  readonly vectors: Float32Array;
}

/** What indexing and searching read and write: passages, their vectors, and documents' progress. */
export class IndexingRepository {
  readonly #db: Knex;
  readonly #model: string;

  /** @param embeddingModel vectors of another model count as none. */
  constructor(db: Knex, embeddingModel: string) {
    this.#db = db;
    this.#model = embeddingModel;
  }

  /** Gives documents that failed before another chance. */
  async forgetFailures(): Promise<void> {
    await this.#db('documents').where('failures', '>', 0).update({ failures: 0 });
  }

  transaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  /**
   * The oldest document with work to do whose knowledge base nobody holds; that is locked until the
   * transaction ends, before any of its passages: deleting it takes the locks in the same order.
   */
  async claim(transaction: Knex.Transaction): Promise<PendingDocument | undefined> {
    const { rows } = await transaction.raw<{ rows: PendingDocument[] }>(
      `select d.id, d.kb_id as "kbId", d.passage_count is not null as "isSplit"
       from documents d join knowledge_bases k using (kb_id)
       where (d.indexed_with is null or d.indexed_with <> ?) and d.failures < ?
       order by d.id limit 1 for no key update of k skip locked`,
      [this.#model, MOST_FAILURES],
    );
    return rows[0];
  }

  async contentOf(transaction: Knex.Transaction, documentId: number): Promise<string> {
    const row = await transaction('documents').where({ id: documentId }).first('content');
    return row?.content ?? '';
  }

  async insertPassages(
    transaction: Knex.Transaction,
    document: PendingDocument,
    passages: readonly NewPassage[],
  ): Promise<void> {
    const rows = passages.map(({ heading, text }) => ({
      kb_id: document.kbId,
      document_id: document.id,
      heading,
      text,
    }));
    await transaction.batchInsert('passages', rows, INSERT_AT_ONCE);
    await transaction('documents')
      .where({ id: document.id })
      .update({ passage_count: passages.length });
  }

  /** The next passages of a document that have no vector of this model. */
  async withoutVectors(
    transaction: Knex.Transaction,
    documentId: number,
    limit: number,
  ): Promise<StoredPassage[]> {
    return transaction('passages')
      .where({ document_id: documentId })
      .whereRaw('embedding_model is distinct from ?', [this.#model])
      .orderBy('id')
      .limit(limit)
      .select('id', 'heading', 'text');
  }

  async storeVectors(
    transaction: Knex.Transaction,
    kbId: number,
    vectors: ReadonlyMap<number, Float32Array>,
  ): Promise<void> {
    for (const [id, vector] of vectors) {
      await transaction('passages')
        .where({ id })
        .update({ embedding: toBytes(vector), embedding_model: this.#model });
    }
    await transaction('knowledge_bases')
      .where({ kb_id: kbId })
      .update({ version: transaction.raw('version + 1') });
  }

  async markIndexed(transaction: Knex.Transaction, documentId: number): Promise<void> {
    await transaction('documents')
      .where({ id: documentId })
      .update({ indexed_with: this.#model, failures: 0 });
  }

  async countFailure(documentId: number): Promise<void> {
    await this.#db('documents').where({ id: documentId }).increment('failures', 1);
  }

  /** Undefined for an unknown knowledge base. */
  async versionOf(kbId: number): Promise<number | undefined> {
    const row = await this.#db('knowledge_bases').where({ kb_id: kbId }).first('version');
    return row?.version;
  }

  /**
   * The vectors that a knowledge base's passages have of this model, at most so many; read by steps,
   * so that none of them holds up audio.
   */
  async vectorsOf(kbId: number, dimensions: number, most: number): Promise<PassageVectors> {
    const ids: number[] = [];
    const parts: Float32Array[] = [];
    for (let after = 0; ids.length < most; ) {
      const rows: { id: number; embedding: Buffer }[] = await this.#db('passages')
        .where({ kb_id: kbId, embedding_model: this.#model })
        .where('id', '>', after)
        .orderBy('id')
        .limit(READ_AT_ONCE)
        .select('id', 'embedding');
      const read = rows.filter(({ embedding }) => embedding.length === dimensions * 4);
      ids.push(...read.map(({ id }) => id));
      parts.push(...read.map(({ embedding }) => fromBytes(embedding)));
      if (rows.length < READ_AT_ONCE) break;
      after = rows.at(-1)!.id;
    }
    const vectors = new Float32Array(ids.length * dimensions);
    parts.forEach((part, i) => {
      vectors.set(part, i * dimensions);
    });
    return { ids, vectors };
  }

  async passages(ids: readonly number[]): Promise<FoundPassage[]> {
    return this.#db('passages').whereIn('id', ids).select('id', 'document_id', 'heading', 'text');
  }
}

function toBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4);
  });
  return bytes;
}

function fromBytes(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}
