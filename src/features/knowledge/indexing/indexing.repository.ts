import type { Knex } from 'knex';
import type { DocumentPassage } from '../../../../media/embeddings/document-chunker.js';
import { BEFORE_ALL_ACCOUNTS, MAX_FAILURES } from '../documents.repository.js';
import { knowledgeBaseWord, searchConfig, searchText } from '../search/full-text-language.js';
import type { StoredPassage } from '../search/passages.repository.js';
import { encodeVectors } from '../search/vector-encoding.js';

const INSERT_BATCH = 100;

export interface PendingDocument {
  readonly id: number;
  readonly isSplit: boolean;
}

/** Pending documents of one knowledge base, which the transaction has locked. */
export interface PendingWork {
  readonly accountId: string;
  readonly kbId: number;
  /** Undefined: detected per document. */
  readonly language: string | undefined;
  readonly documents: readonly PendingDocument[];
}

/** Stores passages, their vectors and the progress of documents. */
export class IndexingRepository {
  readonly #db: Knex;
  readonly #model: string;

  /** @param embeddingModel - vectors of other models are ignored */
  constructor(db: Knex, embeddingModel: string) {
    this.#db = db;
    this.#model = embeddingModel;
  }

  /** Lets failed documents be indexed again. */
  async resetFailures(): Promise<void> {
    await this.#db('documents').where('failures', '>', 0).update({ failures: 0 });
  }

  transaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  /**
   * Claims the oldest pending documents of one knowledge base of the next account, or first those without
   * passages. Locks the knowledge base until the transaction ends, before any of its passages: a deletion
   * takes the locks in the same order.
   * @param afterAccount - the last account. Accounts are served round robin, by id
   */
  async claim(
    transaction: Knex.Transaction,
    limit: number,
    { afterAccount = BEFORE_ALL_ACCOUNTS, isUnsplitFirst = false } = {},
  ): Promise<PendingWork | undefined> {
    const order = isUnsplitFirst ? 'd.passage_count is not null, d.id' : 'd.id';
    const basesOrder = isUnsplitFirst ? 'first.is_split, ' : '';
    const pending = `(d.indexed_with is null or d.indexed_with <> ?) and d.failures < ?
      and d.file is null and d.failure is null`;
    const { rows: bases } = await transaction.raw<{
      rows: { accountId: string; kbId: number; language: string | null }[];
    }>(
      `select k.account_id as "accountId", k.kb_id as "kbId", k.language
       from knowledge_bases k cross join lateral (
         select d.id, d.passage_count is not null as is_split from documents d
         where d.kb_id = k.kb_id and ${pending} order by ${order} limit 1
       ) first
       order by ${basesOrder}k.account_id <= ?, k.account_id, first.id
       limit 1 for no key update of k skip locked`,
      [this.#model, MAX_FAILURES, afterAccount],
    );
    const [base] = bases;
    if (!base) return undefined;
    const { rows: documents } = await transaction.raw<{ rows: PendingDocument[] }>(
      `select d.id, d.passage_count is not null as "isSplit" from documents d
       where d.kb_id = ? and ${pending} order by ${order} limit ?`,
      [base.kbId, this.#model, MAX_FAILURES, limit],
    );
    return { ...base, language: base.language ?? undefined, documents };
  }

  async textOf(
    transaction: Knex.Transaction,
    documentId: number,
  ): Promise<{ readonly text: string; readonly title: string }> {
    const row = await transaction('documents')
      .where({ id: documentId })
      .first(
        transaction.raw(
          `coalesce(body, content) as text, coalesce(nullif(title, ''), name) as title`,
        ),
      );
    return row ?? { text: '', title: '' };
  }

  async insertPassages(
    transaction: Knex.Transaction,
    of: { readonly kbId: number; readonly document: PendingDocument; readonly language: string },
    passages: readonly DocumentPassage[],
  ): Promise<void> {
    const { kbId, document, language } = of;
    const rows = passages.map(({ title, text }) => ({
      kb_id: kbId,
      document_id: document.id,
      heading: title,
      text,
      language,
      search: transaction.raw(`to_tsvector(?::regconfig, ?) || array_to_tsvector(array[?])`, [
        searchConfig(language),
        searchText(`${title}\n${text}`, language),
        knowledgeBaseWord(kbId),
      ]),
    }));
    await transaction.batchInsert('passages', rows, INSERT_BATCH);
    await transaction('documents')
      .where({ id: document.id })
      .update({ passage_count: passages.length });
    // Full-text search finds the passages at once; cached results become outdated.
    await this.#increaseVersion(transaction, of.kbId);
  }

  /** The next passages without vectors of this model. */
  async withoutVectors(
    transaction: Knex.Transaction,
    documentIds: readonly number[],
    limit: number,
  ): Promise<StoredPassage[]> {
    return transaction('passages')
      .whereIn('document_id', documentIds)
      .whereRaw('embedding_model is distinct from ?', [this.#model])
      .orderBy('id')
      .limit(limit)
      .select('id', 'heading as title', 'text');
  }

  /** @param vectors - by passage, one per window */
  async storeVectors(
    transaction: Knex.Transaction,
    kbId: number,
    vectors: ReadonlyMap<number, readonly Float32Array[]>,
  ): Promise<void> {
    const version = await this.#increaseVersion(transaction, kbId);
    await transaction.raw(
      `update passages set embedding = given.embedding, embedding_model = ?, vector_version = ?
       from unnest(?::bigint[], ?::bytea[]) as given (id, embedding)
       where passages.id = given.id`,
      [this.#model, version, [...vectors.keys()], [...vectors.values()].map(encodeVectors)],
    );
  }

  async #increaseVersion(transaction: Knex.Transaction, kbId: number): Promise<number> {
    const [base] = await transaction('knowledge_bases')
      .where({ kb_id: kbId })
      .update({ version: transaction.raw('version + 1') })
      .returning('version');
    return base.version;
  }

  /** Marks the documents whose passages all have vectors. */
  async markIndexed(transaction: Knex.Transaction, ids: readonly number[]): Promise<void> {
    await transaction('documents')
      .whereIn('id', ids)
      .whereNotExists(
        transaction('passages')
          .whereRaw('passages.document_id = documents.id')
          .whereRaw('embedding_model is distinct from ?', [this.#model])
          .select(transaction.raw('1')),
      )
      .update({ indexed_with: this.#model, failures: 0 });
  }

  async countFailure(documentId: number): Promise<void> {
    await this.#db('documents').where({ id: documentId }).increment('failures', 1);
  }
}
