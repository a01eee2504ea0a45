import { ApiError } from '../../platform/http/api-error.js';
import { type PageQuery, readPage } from '../../platform/http/validation/pagination.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type { DocumentsRepository, ListedDocument } from './documents.repository.js';
import type { FileIntake, SubmittedFile } from './file-intake.js';
import type {
  KnowledgeBase,
  KnowledgeBaseFields,
  KnowledgeDocument,
  KnowledgeRepository,
} from './knowledge.repository.js';

const MAX_KNOWLEDGE_BASES = 1_000;
/** Per knowledge base. */
const MAX_DOCUMENTS = 10_000;

export interface KnowledgeServiceParts {
  readonly knowledge: KnowledgeRepository;
  readonly documents: DocumentsRepository;
  readonly intake: FileIntake;
  /** Called when documents wait for extraction or indexing. */
  readonly onDocuments: () => void;
  /** Why indexing is interrupted; undefined while it runs. */
  readonly whyIndexingWaits?: () => string | undefined;
}

/** The knowledge bases of accounts and their documents. */
export class KnowledgeService {
  readonly #parts: KnowledgeServiceParts;

  constructor(parts: KnowledgeServiceParts) {
    this.#parts = parts;
  }

  get whyIndexingWaits(): string | undefined {
    return this.#parts.whyIndexingWaits?.();
  }

  /** @throws ApiError FORBIDDEN if the account has 1,000 knowledge bases; those of `FileIntake` */
  async create(
    accountId: string,
    fields: KnowledgeBaseFields,
    file?: SubmittedFile['file'],
  ): Promise<KnowledgeBase> {
    const { knowledge, intake, onDocuments } = this.#parts;
    if ((await knowledge.count(accountId)) >= MAX_KNOWLEDGE_BASES) {
      const message = `The account has ${MAX_KNOWLEDGE_BASES} knowledge bases, the maximum: delete one first`;
      throw new ApiError('FORBIDDEN', message);
    }
    const created = file
      ? await intake.store(accountId, { file }, (document) =>
          knowledge.insert(accountId, fields, document),
        )
      : await knowledge.insert(accountId, fields);
    onDocuments();
    return created;
  }

  list(accountId: string, query: PageQuery) {
    const { knowledge } = this.#parts;
    return readPage(query, {
      count: () => knowledge.count(accountId),
      read: (page) => knowledge.list(accountId, page),
    });
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND */
  async get(accountId: string, kbId: number): Promise<KnowledgeBase> {
    const found = await this.#parts.knowledge.find(accountId, kbId);
    return found ?? throwNotFound('knowledge base', kbId);
  }

  /** The contents of a knowledge base that `get` returned. */
  contents({ kbId }: KnowledgeBase): Promise<readonly KnowledgeDocument[]> {
    return this.#parts.knowledge.documentsOf(kbId);
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND */
  async update(
    accountId: string,
    kbId: number,
    fields: KnowledgeBaseFields,
  ): Promise<KnowledgeBase> {
    const changed = await this.#parts.knowledge.update(accountId, kbId, fields);
    if (fields.documents) this.#parts.onDocuments();
    return changed ?? throwNotFound('knowledge base', kbId);
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND */
  async delete(accountId: string, kbId: number): Promise<void> {
    if (!(await this.#parts.knowledge.delete(accountId, kbId)))
      throwNotFound('knowledge base', kbId);
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND, FORBIDDEN if it is full; those of `FileIntake` */
  async addDocument(accountId: string, kbId: number, sent: SubmittedFile): Promise<ListedDocument> {
    const { documents, intake, onDocuments } = this.#parts;
    await this.#requireBase(accountId, kbId);
    const added = await intake.store(accountId, sent, (document) =>
      documents.insert(kbId, document, MAX_DOCUMENTS),
    );
    if (!added) {
      throw new ApiError(
        'FORBIDDEN',
        `The knowledge base has ${MAX_DOCUMENTS} documents, the maximum: delete one first`,
      );
    }
    onDocuments();
    return added;
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND */
  async listDocuments(accountId: string, kbId: number, query: PageQuery) {
    const { documents } = this.#parts;
    await this.#requireBase(accountId, kbId);
    return readPage(query, {
      count: () => documents.count(kbId),
      read: (page) => documents.list(kbId, page),
    });
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND, DOCUMENT_NOT_FOUND */
  async getDocument(accountId: string, kbId: number, id: number): Promise<ListedDocument> {
    await this.#requireBase(accountId, kbId);
    return (await this.#parts.documents.find(kbId, id)) ?? throwNotFound('document', id);
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND, DOCUMENT_NOT_FOUND */
  async deleteDocument(accountId: string, kbId: number, id: number): Promise<void> {
    await this.#requireBase(accountId, kbId);
    if (!(await this.#parts.documents.delete(kbId, id))) throwNotFound('document', id);
  }

  async #requireBase(accountId: string, kbId: number): Promise<void> {
    if (!(await this.#parts.knowledge.exists(accountId, kbId)))
      throwNotFound('knowledge base', kbId);
  }
}
