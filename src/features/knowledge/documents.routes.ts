import { ApiError } from '../../platform/http/api-error.js';
import { type Route, type RouteResponse, reply, route } from '../../platform/http/route.js';
import { pageOf } from '../../platform/http/validation/pagination.js';
import type { DocumentsRepository, ListedDocument } from './documents.repository.js';
import {
  AddDocument,
  DocumentBody,
  DocumentPage,
  DocumentPath,
  DocumentsPath,
  ListDocuments,
} from './documents.schema.js';
import type { FileIntake } from './file-intake.js';

const PATH = '/knowledge-base/{kb_id}/documents';
const COMMON = { scope: 'knowledge', tag: 'Knowledge bases' } as const;
const NO_SUCH_BASE: RouteResponse = { description: 'No such knowledge base' };
const NO_SUCH: RouteResponse = { description: 'No such document' };
const THE_DOCUMENT: RouteResponse = { description: 'The document', schema: DocumentBody };
const MAX_DOCUMENTS = 10_000;

export interface DocumentRouteParts {
  /** Says whether an account has a knowledge base. */
  readonly knowledge: { exists(accountId: string, kbId: number): Promise<boolean> };
  readonly documents: DocumentsRepository;
  readonly maxFileBytes: number;
  /** Told when there are documents to read or to index. */
  readonly onDocuments: () => void;
}

/** `/knowledge-base/{kb_id}/documents`: the single documents of a knowledge base, as files. */
export function documentRoutes(parts: DocumentRouteParts, intake: FileIntake): readonly Route[] {
  return [addRoute(parts, intake), listRoute(parts), ...oneRoutes(parts)];
}

function addRoute(
  { knowledge, documents, maxFileBytes, onDocuments }: DocumentRouteParts,
  intake: FileIntake,
): Route {
  return route({
    ...COMMON,
    method: 'post',
    path: PATH,
    summary: 'Add a file to a knowledge base',
    description:
      'Its text is taken and indexed after the answer; a document that cannot be read is FAILED, with a failure_reason.',
    params: DocumentsPath,
    body: AddDocument,
    isMultipart: true,
    isIdempotent: true,
    maxBodyBytes: maxFileBytes,
    responses: {
      201: THE_DOCUMENT,
      404: NO_SUCH_BASE,
      413: { description: 'The file is too large' },
      415: { description: 'The file is not text, Markdown, HTML, PDF or DOCX' },
    },
    async handle({ principal: { accountId }, params: { kb_id: kbId }, body }) {
      if (!(await knowledge.exists(accountId, kbId))) knowledgeBaseNotFound(kbId);
      const added = await intake.store(accountId, body, (document) =>
        documents.insert(kbId, document, MAX_DOCUMENTS),
      );
      if (!added) {
        throw new ApiError('FORBIDDEN', `A knowledge base has at most ${MAX_DOCUMENTS} documents`);
      }
      onDocuments();
      return reply(201, toBody(kbId, added));
    },
  });
}

function listRoute({ knowledge, documents }: DocumentRouteParts): Route {
  return route({
    ...COMMON,
    method: 'get',
    path: PATH,
    summary: 'List the documents of a knowledge base',
    description: 'The oldest first, each with the state of its indexing.',
    params: DocumentsPath,
    query: ListDocuments,
    responses: {
      200: { description: 'One page of them', schema: DocumentPage },
      404: NO_SUCH_BASE,
    },
    async handle({ principal, params: { kb_id: kbId }, query }) {
      if (!(await knowledge.exists(principal.accountId, kbId))) knowledgeBaseNotFound(kbId);
      const page = pageOf(query, await documents.count(kbId));
      const found = page.hasItems ? await documents.list(kbId, page) : [];
      return { items: found.map((one) => toBody(kbId, one)), pagination: page.pagination };
    },
  });
}

function oneRoutes({ knowledge, documents }: DocumentRouteParts): readonly Route[] {
  const common = { ...COMMON, path: `${PATH}/{document_id}`, params: DocumentPath };
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Read the state of a document',
      responses: { 200: THE_DOCUMENT, 404: NO_SUCH },
      async handle({ principal, params: { kb_id: kbId, document_id: id } }) {
        if (!(await knowledge.exists(principal.accountId, kbId))) knowledgeBaseNotFound(kbId);
        return toBody(kbId, (await documents.find(kbId, id)) ?? noSuch(id));
      },
    }),
    route({
      ...common,
      method: 'delete',
      summary: 'Take a document out of a knowledge base',
      responses: { 204: { description: 'It is no longer found' }, 404: NO_SUCH },
      async handle({ principal, params: { kb_id: kbId, document_id: id } }) {
        if (!(await knowledge.exists(principal.accountId, kbId))) knowledgeBaseNotFound(kbId);
        if (!(await documents.delete(kbId, id))) noSuch(id);
        return reply(204);
      },
    }),
  ];
}

function toBody(kbId: number, document: ListedDocument): DocumentBody {
  return {
    document_id: document.id,
    kb_id: kbId,
    name: document.name,
    title: document.title,
    kind: document.kind,
    bytes: document.bytes,
    metadata: document.metadata,
    status: STATUSES[document.state],
    failure_reason: document.failure ?? null,
    passages: document.passages,
    created_at: document.createdAt.toISOString(),
  };
}

const STATUSES = { pending: 'PENDING', indexed: 'INDEXED', failed: 'FAILED' } as const;

/** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND */
export function knowledgeBaseNotFound(kbId: number): never {
  throw new ApiError('KNOWLEDGE_BASE_NOT_FOUND', `No knowledge base has the id ${kbId}`);
}

function noSuch(id: number): never {
  throw new ApiError('DOCUMENT_NOT_FOUND', `The knowledge base has no document with the id ${id}`);
}
