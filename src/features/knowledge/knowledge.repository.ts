import type { Knex } from 'knex';
import type { KnowledgeBaseDirectory } from '../agents/agents.ports.js';
import { insertFile, MAX_FAILURES, type NewDocument, nameIn } from './documents.repository.js';
import { isHtml } from './extraction/document-kind.js';

const MAX_INT4 = 2_147_483_647;
/** Bytes of texts in one response: more than a request can contain, in any script. */
const MAX_READ_BYTES = 8_500_000;

export interface KnowledgeDocument {
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A knowledge base with its state of indexing. */
export interface KnowledgeBase {
  readonly kbId: number;
  readonly name: string;
  readonly description: string;
  readonly language: string | null;
  readonly documentCount: number;
  /** Documents that are indexed or failed. */
  readonly indexedCount: number;
  /** Documents that could not be indexed. */
  readonly failedCount: number;
  readonly passageCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface KnowledgeBaseFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** ISO 639-1; null: detected per document. */
  readonly language?: string | null | undefined;
  readonly documents?: readonly KnowledgeDocument[] | undefined;
}

interface KnowledgeBaseRow {
  readonly kb_id: number;
  readonly account_id: string;
  readonly name: string;
  readonly description: string;
  readonly language: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

type CountedRow = KnowledgeBaseRow & {
  readonly document_count: number;
  readonly indexed_count: number;
  readonly failed_count: number;
  readonly passage_count: number;
};

/** The knowledge bases of accounts. */
export class KnowledgeRepository implements KnowledgeBaseDirectory {
  readonly #db: Knex;
  readonly #model: string;

  /** @param embeddingModel - vectors of other models are ignored */
  constructor(db: Knex, embeddingModel: string) {
    this.#db = db;
    this.#model = embeddingModel;
  }

  async exists(accountId: string, kbId: number): Promise<boolean> {
    if (!isStorable(kbId)) return false;
    const row = await this.#own(this.#db, accountId, kbId).first('kb_id');
    return row !== undefined;
  }

  async insert(
    accountId: string,
    { name = '', description = '', language = null, documents = [] }: KnowledgeBaseFields,
    file?: NewDocument,
  ): Promise<KnowledgeBase> {
    return this.#db.transaction(async (transaction) => {
      const [made] = await transaction<KnowledgeBaseRow>('knowledge_bases')
        .insert({ account_id: accountId, name, description, language })
        .returning('kb_id');
      const kbId = made!.kb_id;
      await insertDocuments(transaction, kbId, documents);
      if (file) await insertFile(transaction, kbId, file);
      return (await this.#counted(transaction, accountId, kbId))!;
    });
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.#db('knowledge_bases')
      .where({ account_id: accountId })
      .count<{ count: number }[]>('*');
    return Number(row!.count);
  }

  /** Newest first, ties by id. */
  async list(
    accountId: string,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<KnowledgeBase[]> {
    const page = this.#db('knowledge_bases')
      .where({ account_id: accountId })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'kb_id', order: 'desc' },
      ])
      .limit(limit)
      .offset(offset);
    const rows: CountedRow[] = await this.#withCounts(this.#db, page).orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'kb_id', order: 'desc' },
    ]);
    return rows.map(toKnowledgeBase);
  }

  async find(accountId: string, kbId: number): Promise<KnowledgeBase | undefined> {
    return isStorable(kbId) ? this.#counted(this.#db, accountId, kbId) : undefined;
  }

  /**
   * The documents of a knowledge base as they were submitted: the oldest ones, up to MAX_READ_BYTES.
   * The caller checks the ownership of the knowledge base.
   */
  async documentsOf(kbId: number): Promise<KnowledgeDocument[]> {
    const upTo = this.#db('documents')
      .where({ kb_id: kbId })
      .select(
        'id',
        this.#db.raw(
          'sum(greatest(octet_length(content), coalesce(octet_length(body), 0))) over (order by id) as bytes',
        ),
      );
    return this.#db('documents')
      .whereIn(
        'id',
        this.#db.from(upTo.as('all')).where('bytes', '<=', MAX_READ_BYTES).select('id'),
      )
      .orderBy('id')
      .select<KnowledgeDocument[]>(
        // For a file, its extracted text.
        this.#db.raw("case when content = '' then coalesce(body, '') else content end as content"),
        'metadata',
      );
  }

  /** Undefined fields stay unchanged; `documents` replaces all documents. */
  async update(
    accountId: string,
    kbId: number,
    { name, description, language, documents }: KnowledgeBaseFields,
  ): Promise<KnowledgeBase | undefined> {
    if (!isStorable(kbId)) return undefined;
    return this.#db.transaction(async (transaction) => {
      const changed = await this.#own(transaction, accountId, kbId).update({
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(language !== undefined && { language }),
        ...(documents && {
          version: transaction.raw('version + 1'),
          deletions: transaction.raw('deletions + 1'),
        }),
        updated_at: transaction.raw("greatest(now(), updated_at + interval '1 ms')"),
      });
      if (changed === 0) return undefined;
      if (documents) {
        await transaction('documents').where({ kb_id: kbId }).delete();
        await insertDocuments(transaction, kbId, documents);
      }
      return this.#counted(transaction, accountId, kbId);
    });
  }

  /** Also removes it from its agents. @returns whether it existed */
  async delete(accountId: string, kbId: number): Promise<boolean> {
    return isStorable(kbId) && (await this.#own(this.#db, accountId, kbId).delete()) > 0;
  }

  #own(db: Knex, accountId: string, kbId: number) {
    return db<KnowledgeBaseRow>('knowledge_bases').where({ account_id: accountId, kb_id: kbId });
  }

  async #counted(db: Knex, accountId: string, kbId: number): Promise<KnowledgeBase | undefined> {
    const row: CountedRow | undefined = await this.#withCounts(
      db,
      this.#own(db, accountId, kbId),
    ).first();
    return row && toKnowledgeBase(row);
  }

  #withCounts(db: Knex, bases: Knex.QueryBuilder): Knex.QueryBuilder {
    return db.from(bases.as('bases')).joinRaw(
      `cross join lateral (
         select count(*)::int as document_count,
           count(*) filter (where indexed_with = ? or failures >= ? or failure is not null)::int as indexed_count,
           count(*) filter (where indexed_with is distinct from ?
             and (failures >= ? or failure is not null))::int as failed_count,
           coalesce(sum(passage_count) filter (where indexed_with = ?), 0)::int as passage_count
         from documents where documents.kb_id = bases.kb_id) counts`,
      [this.#model, MAX_FAILURES, this.#model, MAX_FAILURES, this.#model],
    );
  }
}

/** Inserts in batches, as one statement takes at most 65,535 values. */
async function insertDocuments(
  transaction: Knex.Transaction,
  kbId: number,
  documents: readonly KnowledgeDocument[],
): Promise<void> {
  const rows = documents.map(({ content, metadata }) => ({
    kb_id: kbId,
    content,
    metadata,
    name: nameIn(metadata),
    // The text of an HTML page is extracted like that of a file.
    kind: isHtml(content) ? 'html' : 'text',
    file: isHtml(content) ? Buffer.from(content) : null,
  }));
  await transaction.batchInsert('documents', rows, 100);
}

function isStorable(kbId: number): boolean {
  return kbId >= 1 && kbId <= MAX_INT4;
}

function toKnowledgeBase(row: CountedRow): KnowledgeBase {
  return {
    kbId: row.kb_id,
    name: row.name,
    description: row.description,
    language: row.language,
    documentCount: row.document_count,
    indexedCount: row.indexed_count,
    failedCount: row.failed_count,
    passageCount: row.passage_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
