import { type Route, type RouteResponse, reply, route } from '../../platform/http/route.js';
import { presentDocument } from './documents.presenter.js';
import {
  AddDocument,
  DocumentBody,
  DocumentPage,
  DocumentPath,
  DocumentsPath,
  ListDocuments,
} from './documents.schema.js';
import type { KnowledgeService } from './knowledge.service.js';

const PATH = '/knowledge-base/{kb_id}/documents';
const COMMON = { scope: 'knowledge', tag: 'Knowledge bases' } as const;
const NO_SUCH_BASE: RouteResponse = { description: 'No such knowledge base' };
const NO_SUCH: RouteResponse = { description: 'No such document' };
const THE_DOCUMENT: RouteResponse = { description: 'The document', schema: DocumentBody };

/** `/knowledge-base/{kb_id}/documents`: the single documents of a knowledge base, as files. */
export function documentRoutes(
  knowledge: KnowledgeService,
  maxFileBytes: number,
): readonly Route[] {
  return [...collectionRoutes(knowledge, maxFileBytes), ...oneRoutes(knowledge)];
}

function collectionRoutes(knowledge: KnowledgeService, maxFileBytes: number): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: PATH,
      summary: 'Add a file to a knowledge base',
      description:
        'Extracts and indexes the text after the response. A document that cannot be read has the status FAILED and a `failure_reason`.',
      params: DocumentsPath,
      body: AddDocument,
      isForm: true,
      isIdempotent: true,
      maxBodyBytes: maxFileBytes,
      responses: {
        201: THE_DOCUMENT,
        404: NO_SUCH_BASE,
        413: { description: 'The file is too large' },
        415: { description: 'The file is not text, Markdown, HTML, PDF or DOCX' },
      },
      async handle({ principal, params: { kb_id: kbId }, body }) {
        const added = await knowledge.addDocument(principal.accountId, kbId, body);
        return reply(201, presentDocument(kbId, added));
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: PATH,
      summary: 'List the documents of a knowledge base',
      description: 'Oldest first, with the state of indexing.',
      params: DocumentsPath,
      query: ListDocuments,
      responses: {
        200: { description: 'One page of documents', schema: DocumentPage },
        404: NO_SUCH_BASE,
      },
      async handle({ principal, params: { kb_id: kbId }, query }) {
        const page = await knowledge.listDocuments(principal.accountId, kbId, query);
        const items = page.items.map((document) => presentDocument(kbId, document));
        return { items, pagination: page.pagination };
      },
    }),
  ];
}

function oneRoutes(knowledge: KnowledgeService): readonly Route[] {
  const common = { ...COMMON, path: `${PATH}/{document_id}`, params: DocumentPath };
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Read the state of a document',
      responses: { 200: THE_DOCUMENT, 404: NO_SUCH },
      async handle({ principal, params: { kb_id: kbId, document_id: id } }) {
        return presentDocument(kbId, await knowledge.getDocument(principal.accountId, kbId, id));
      },
    }),
    route({
      ...common,
      method: 'delete',
      summary: 'Remove a document from a knowledge base',
      responses: { 204: { description: 'The document was removed' }, 404: NO_SUCH },
      async handle({ principal, params: { kb_id: kbId, document_id: id } }) {
        await knowledge.deleteDocument(principal.accountId, kbId, id);
        return reply(204);
      },
    }),
  ];
}
