import { type Route, type RouteResponse, reply, route } from '../../platform/http/route.js';
import { documentRoutes } from './documents.routes.js';
import { presentKnowledgeBase } from './knowledge.presenter.js';
import type { KnowledgeBaseFields } from './knowledge.repository.js';
import {
  CreateKnowledgeBase,
  CreateKnowledgeBaseForm,
  KnowledgeBaseBody,
  KnowledgeBasePage,
  KnowledgeBasePath,
  KnowledgeBaseWithDocuments,
  ListKnowledgeBases,
  UpdateKnowledgeBase,
} from './knowledge.schema.js';
import type { KnowledgeService } from './knowledge.service.js';

const PATH = '/knowledge-base';
const COMMON = { scope: 'knowledge', tag: 'Knowledge bases' } as const;
/** Fits a document of 200,000 characters that are all escaped. */
const MAX_BODY_BYTES = 4 * 1_048_576;
const NO_SUCH: RouteResponse = { description: 'No such knowledge base' };

/** `/knowledge-base` */
export function knowledgeRoutes(
  knowledge: KnowledgeService,
  { maxFileBytes }: { readonly maxFileBytes: number },
): readonly Route[] {
  return [
    ...collectionRoutes(knowledge, maxFileBytes),
    ...oneRoutes(knowledge),
    ...documentRoutes(knowledge, maxFileBytes),
  ];
}

function collectionRoutes(knowledge: KnowledgeService, maxFileBytes: number): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: PATH,
      summary: 'Create a knowledge base',
      isIdempotent: true,
      description:
        'Creates a knowledge base from texts in JSON, or from one file in a form. Indexing continues after the response; `message` describes its progress.',
      body: CreateKnowledgeBase,
      alternativeForm: { body: CreateKnowledgeBaseForm, maxFileBytes },
      maxBodyBytes: MAX_BODY_BYTES,
      responses: {
        201: { description: 'The knowledge base', schema: KnowledgeBaseBody },
        413: { description: 'The body or its file is too large' },
        415: { description: 'The file is not text, Markdown, HTML, PDF or DOCX' },
      },
      async handle({ principal, body }) {
        const file = 'file' in body ? body.file : undefined;
        const created = await knowledge.create(principal.accountId, toFields(body), file);
        return reply(201, presentKnowledgeBase(created, knowledge.whyIndexingWaits));
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: PATH,
      summary: 'List knowledge bases',
      description: 'Newest first.',
      query: ListKnowledgeBases,
      responses: { 200: { description: 'One page of knowledge bases', schema: KnowledgeBasePage } },
      async handle({ principal, query }) {
        const { items, pagination } = await knowledge.list(principal.accountId, query);
        const why = knowledge.whyIndexingWaits;
        return { items: items.map((kb) => presentKnowledgeBase(kb, why)), pagination };
      },
    }),
  ];
}

function oneRoutes(knowledge: KnowledgeService): readonly Route[] {
  const common = { ...COMMON, path: `${PATH}/{kb_id}`, params: KnowledgeBasePath };
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Read a knowledge base and its documents',
      responses: {
        200: { description: 'The knowledge base', schema: KnowledgeBaseWithDocuments },
        404: NO_SUCH,
      },
      async handle({ principal, params: { kb_id: kbId } }) {
        const found = await knowledge.get(principal.accountId, kbId);
        const body = presentKnowledgeBase(found, knowledge.whyIndexingWaits);
        return { ...body, documents: await knowledge.contents(found) };
      },
    }),
    route({
      ...common,
      method: 'put',
      summary: 'Update a knowledge base',
      body: UpdateKnowledgeBase,
      maxBodyBytes: MAX_BODY_BYTES,
      responses: {
        200: { description: 'The knowledge base', schema: KnowledgeBaseBody },
        404: NO_SUCH,
      },
      async handle({ principal, params: { kb_id: kbId }, body }) {
        const changed = await knowledge.update(principal.accountId, kbId, toFields(body));
        return presentKnowledgeBase(changed, knowledge.whyIndexingWaits);
      },
    }),
    route({
      ...common,
      method: 'delete',
      summary: 'Delete a knowledge base',
      description: 'It is removed from its agents.',
      responses: { 204: { description: 'The knowledge base was deleted' }, 404: NO_SUCH },
      async handle({ principal, params: { kb_id: kbId } }) {
        await knowledge.delete(principal.accountId, kbId);
        return reply(204);
      },
    }),
  ];
}

/** A null name or description becomes an empty text. */
function toFields(body: UpdateKnowledgeBase): KnowledgeBaseFields {
  return {
    name: body.name === null ? '' : body.name,
    description: body.description === null ? '' : body.description,
    language: body.language,
    documents: body.documents?.map(({ content, metadata }) => ({
      content,
      metadata: metadata ?? {},
    })),
  };
}
