import { ApiError } from '../../platform/http/api-error.js';
import { type Route, type RouteResponse, reply, route } from '../../platform/http/route.js';
import { pageOf } from '../../platform/http/validation/pagination.js';
import {
  type DocumentRouteParts,
  documentRoutes,
  knowledgeBaseNotFound as noSuch,
} from './documents.routes.js';
import { FileIntake } from './file-intake.js';
import type {
  KnowledgeBase,
  KnowledgeBaseFields,
  KnowledgeRepository,
} from './knowledge.repository.js';
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

const PATH = '/knowledge-base';
const COMMON = { scope: 'knowledge', tag: 'Knowledge bases' } as const;
/** Holds a document of 200,000 characters even where each is written as an escape. */
const MAX_BODY_BYTES = 4 * 1_048_576;
const MAX_KNOWLEDGE_BASES = 1_000;
const NO_SUCH: RouteResponse = { description: 'No such knowledge base' };

export interface KnowledgeRouteParts extends DocumentRouteParts {
  readonly knowledge: KnowledgeRepository;
  /** Why indexing does not go on now, if so. */
  readonly whyIndexingWaits?: () => string | undefined;
}

/** `/knowledge-base`: what agents know beside their prompts. */
export function knowledgeRoutes(parts: KnowledgeRouteParts): readonly Route[] {
  const intake = new FileIntake(parts.documents);
  return [
    ...collectionRoutes(parts, intake),
    ...oneRoutes(parts),
    ...documentRoutes(parts, intake),
  ];
}

function collectionRoutes(
  { knowledge, maxFileBytes, onDocuments, whyIndexingWaits }: KnowledgeRouteParts,
  intake: FileIntake,
): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: PATH,
      summary: 'Create a knowledge base',
      isIdempotent: true,
      description:
        'From texts in JSON, or from one file in a form. Indexing goes on after the answer; `message` tells how far it is.',
      body: CreateKnowledgeBase,
      form: { body: CreateKnowledgeBaseForm, maxFileBytes },
      maxBodyBytes: MAX_BODY_BYTES,
      responses: {
        201: { description: 'The knowledge base', schema: KnowledgeBaseBody },
        413: { description: 'The body or its file is too large' },
        415: { description: 'The file is not text, Markdown, HTML, PDF or DOCX' },
      },
      async handle({ principal: { accountId }, body }) {
        if ((await knowledge.count(accountId)) >= MAX_KNOWLEDGE_BASES) {
          throw new ApiError(
            'FORBIDDEN',
            `An account has at most ${MAX_KNOWLEDGE_BASES} knowledge bases`,
          );
        }
        const made =
          'file' in body
            ? await intake.store(accountId, { file: body.file }, (document) =>
                knowledge.insert(accountId, toFields(body), document),
              )
            : await knowledge.insert(accountId, toFields(body));
        onDocuments();
        return reply(201, toBody(made, whyIndexingWaits));
      },
    }),
    route({
      ...COMMON,
      method: 'get',
      path: PATH,
      summary: 'List knowledge bases',
      description: 'The newest first.',
      query: ListKnowledgeBases,
      responses: { 200: { description: 'One page of them', schema: KnowledgeBasePage } },
      async handle({ principal: { accountId }, query }) {
        const page = pageOf(query, await knowledge.count(accountId));
        const found = page.hasItems ? await knowledge.list(accountId, page) : [];
        return {
          items: found.map((kb) => toBody(kb, whyIndexingWaits)),
          pagination: page.pagination,
        };
      },
    }),
  ];
}

function oneRoutes({
  knowledge,
  onDocuments,
  whyIndexingWaits,
}: KnowledgeRouteParts): readonly Route[] {
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
        const found = (await knowledge.find(principal.accountId, kbId)) ?? noSuch(kbId);
        return { ...toBody(found, whyIndexingWaits), documents: await knowledge.documentsOf(kbId) };
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
        if (body.documents) onDocuments();
        return toBody(changed ?? noSuch(kbId), whyIndexingWaits);
      },
    }),
    route({
      ...common,
      method: 'delete',
      summary: 'Delete a knowledge base',
      description: 'Agents that have it lose it.',
      responses: { 204: { description: 'It no longer exists' }, 404: NO_SUCH },
      async handle({ principal, params: { kb_id: kbId } }) {
        if (!(await knowledge.delete(principal.accountId, kbId))) noSuch(kbId);
        return reply(204);
      },
    }),
  ];
}

/** Null is no text. */
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

function toBody(
  kb: KnowledgeBase,
  whyIndexingWaits: KnowledgeRouteParts['whyIndexingWaits'],
): KnowledgeBaseBody {
  return {
    kb_id: kb.kbId,
    document_count: kb.documentCount,
    created_at: kb.createdAt.toISOString(),
    updated_at: kb.updatedAt.toISOString(),
    name: kb.name,
    description: kb.description,
    language: kb.language,
    message: progressOf(kb, whyIndexingWaits?.()),
  };
}

function progressOf(
  { documentCount, indexedCount, failedCount, passageCount }: KnowledgeBase,
  whyItWaits: string | undefined,
) {
  if (indexedCount < documentCount) {
    const waiting = whyItWaits ? `, waiting: ${whyItWaits}` : '';
    return `indexing ${indexedCount + 1} of ${documentCount} documents${waiting}`;
  }
  const failed = failedCount === 0 ? '' : `, ${counted(failedCount, 'document')} not indexed`;
  return `ready: ${counted(passageCount, 'passage')}${failed}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
