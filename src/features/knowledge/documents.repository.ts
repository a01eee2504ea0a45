import type { Knex } from 'knex';
import type { DocumentKind } from './extraction/document-kind.js';
import type { ExtractedText } from './extraction/extraction.js';

/** Lifetime of the claim of a killed gateway. Longer than the extraction of one document. */
const CLAIM_TIME = "interval '150 seconds'";
/** Bytes of a file per query: some milliseconds of decoding. */
const READ_CHUNK_BYTES = 262_144;
const MAX_INT8 = Number.MAX_SAFE_INTEGER;
/** Characters. */
const MAX_NAME_LENGTH = 255;
/** Sorts before the id of every account. */
export const BEFORE_ALL_ACCOUNTS = '00000000-0000-0000-0000-000000000000';
/** After this number of failures in a row, a document is not indexed until the next start. */
export const MAX_FAILURES = 3;

export interface NewDocument {
  readonly name: string;
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A document with its state of indexing. */
export interface ListedDocument {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly kind: DocumentKind;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly state: 'pending' | 'indexed' | 'failed';
  /** Set for failed documents. */
  readonly failure: string | undefined;
  readonly passages: number;
  readonly createdAt: Date;
}

/** A document that waits for text extraction. */
export interface ClaimedFile {
  readonly accountId: string;
  readonly id: number;
  readonly kbId: number;
  readonly kind: DocumentKind;
  readonly claimedUntil: Date;
}

interface DocumentRow {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly kind: DocumentKind;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly failure: string | null;
  readonly failures: number;
  readonly indexed_with: string | null;
  readonly passage_count: number | null;
  readonly created_at: Date;
}

/** @returns the document's id */
export async function insertFile(
  transaction: Knex.Transaction,
  kbId: number,
  { name, kind, bytes, metadata }: NewDocument,
): Promise<number> {
  const [row] = await transaction('documents')
    .insert({
      kb_id: kbId,
      content: '',
      name,
      kind,
      file: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      file_bytes: bytes.length,
      metadata,
    })
    .returning('id');
  return row.id;
}

/** The documents of knowledge bases. Callers check the ownership of the knowledge base. */
export class DocumentsRepository {
  readonly #db: Knex;
  readonly #model: string;

  /** @param embeddingModel - vectors of other models are ignored */
  constructor(db: Knex, embeddingModel: string) {
    this.#db = db;
    this.#model = embeddingModel;
  }

  /** Undefined if the knowledge base has `most` documents, or does not exist. */
  async insert(
    kbId: number,
    document: NewDocument,
    maxDocuments: number,
  ): Promise<ListedDocument | undefined> {
    return this.#db.transaction(async (transaction) => {
      // Locks the knowledge base while its documents are counted.
      const base = await transaction('knowledge_bases')
        .where({ kb_id: kbId })
        .update({ updated_at: transaction.raw("greatest(now(), updated_at + interval '1 ms')") });
      if (base === 0 || (await countOf(transaction, kbId)) >= maxDocuments) return undefined;
      return this.find(kbId, await insertFile(transaction, kbId, document), transaction);
    });
  }

  count(kbId: number): Promise<number> {
    return countOf(this.#db, kbId);
  }

  /** Oldest first. */
  async list(
    kbId: number,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<ListedDocument[]> {
    const rows = await this.#listed(this.#db, { kb_id: kbId })
      .orderBy('id')
      .limit(limit)
      .offset(offset);
    return rows.map((row) => this.#toDocument(row));
  }

  async find(kbId: number, id: number, db: Knex = this.#db): Promise<ListedDocument | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await this.#listed(db, { kb_id: kbId, id }).first();
    return row && this.#toDocument(row);
  }

  /** @returns whether the document existed */
  async delete(kbId: number, id: number): Promise<boolean> {
    if (!isStorable(id)) return false;
    return this.#db.transaction(async (transaction) => {
      // Takes locks in the order of the indexer.
      await transaction('knowledge_bases')
        .where({ kb_id: kbId })
        .update({
          version: transaction.raw('version + 1'),
          deletions: transaction.raw('deletions + 1'),
        });
      return (await transaction('documents').where({ kb_id: kbId, id }).delete()) > 0;
    });
  }

  /** Bytes of an account's files that wait for extraction. */
  async pendingBytes(accountId: string): Promise<number> {
    const [row] = await this.#db('documents')
      .join('knowledge_bases', 'knowledge_bases.kb_id', 'documents.kb_id')
      .whereNotNull('file')
      .where({ account_id: accountId })
      .sum<{ sum: number | string | null }[]>('file_bytes');
    return Number(row?.sum ?? 0);
  }

  /**
   * Claims the oldest unclaimed file of the next account.
   * @param afterAccount - the last account. Accounts are served round robin, by id
   */
  async claimFile(afterAccount = BEFORE_ALL_ACCOUNTS): Promise<ClaimedFile | undefined> {
    const { rows } = await this.#db.raw<{ rows: ClaimedFile[] }>(
      `with next as (
         select d.id, k.account_id from documents d join knowledge_bases k using (kb_id)
         where d.file is not null and (d.claimed_until is null or d.claimed_until < now())
         order by k.account_id <= ?, k.account_id, d.id limit 1 for update of d skip locked
       )
       update documents d set claimed_until = now() + ${CLAIM_TIME}
       from next where d.id = next.id
       returning next.account_id as "accountId", d.id, d.kb_id as "kbId", d.kind,
         d.claimed_until as "claimedUntil"`,
      [afterAccount],
    );
    return rows[0];
  }

  /** The file in chunks, as this thread decodes them and must send audio on time. */
  async *fileChunks({ id }: ClaimedFile): AsyncGenerator<Buffer> {
    for (let from = 1; ; from += READ_CHUNK_BYTES) {
      const row = await this.#db('documents')
        .where({ id })
        .first(this.#db.raw('substring(file from ? for ?) as part', [from, READ_CHUNK_BYTES]));
      if (row?.part) yield row.part;
      if (!(row?.part?.length === READ_CHUNK_BYTES)) return;
    }
  }

  /** Stores the text and drops the file. */
  async storeText(claimed: ClaimedFile, { text, title }: ExtractedText): Promise<void> {
    await this.#claimed(claimed).update({ body: text, title, file: null, claimed_until: null });
  }

  /** Marks the document as failed and drops the file. */
  async storeFailure(claimed: ClaimedFile, failure: string): Promise<void> {
    await this.#claimed(claimed).update({ failure, file: null, claimed_until: null });
  }

  /** Lets other gateways claim the file at once. */
  async releaseClaim(claimed: ClaimedFile): Promise<void> {
    await this.#claimed(claimed).update({ claimed_until: null });
  }

  #claimed({ id, claimedUntil }: ClaimedFile) {
    return this.#db('documents').where({ id, claimed_until: claimedUntil });
  }

  #listed(db: Knex, where: object): Knex.QueryBuilder<DocumentRow, DocumentRow[]> {
    return db('documents')
      .where(where)
      .select(
        'id',
        'name',
        'title',
        'kind',
        'metadata',
        'failure',
        'failures',
        'indexed_with',
        'passage_count',
        'created_at',
        db.raw('coalesce(file_bytes, octet_length(content)) as bytes'),
      );
  }

  #toDocument(row: DocumentRow): ListedDocument {
    const isIndexed = row.indexed_with === this.#model;
    const isFailed = row.failure !== null || (!isIndexed && row.failures >= MAX_FAILURES);
    return {
      id: row.id,
      name: row.name,
      title: row.title,
      kind: row.kind,
      bytes: row.bytes,
      metadata: row.metadata,
      state: isFailed ? 'failed' : isIndexed ? 'indexed' : 'pending',
      failure: isFailed ? (row.failure ?? 'The document could not be indexed') : undefined,
      passages: row.passage_count ?? 0,
      createdAt: row.created_at,
    };
  }
}

async function countOf(db: Knex, kbId: number): Promise<number> {
  const [row] = await db('documents').where({ kb_id: kbId }).count<{ count: number }[]>('*');
  return Number(row!.count);
}

function isStorable(id: number): boolean {
  return id >= 1 && id <= MAX_INT8;
}

/** A document's name from a client, without control characters and unpaired surrogates, at most 255 characters. */
export function storableName(name: string): string {
  const plain = name.replace(/\p{Cc}|\p{Surrogate}/gu, '').trim();
  return [...plain].slice(0, MAX_NAME_LENGTH).join('');
}

/** The name in a document's metadata; empty without one. */
export function nameIn({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === 'string' ? storableName(name) : '';
}
