import type { z } from 'zod';
import { LANGUAGES } from '../../../media/languages.js';
import { PAGE_FIELDS, Pagination } from '../../platform/http/validation/pagination.js';
import {
  anyDict,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';
import { documentUpload } from './documents.schema.js';

/** Characters. */
const MAX_CONTENT = 200_000;
const MAX_DOCUMENTS = 5_000;
/** Characters of all the documents of one knowledge base. */
const MAX_TOTAL = 2_000_000;

const metadata = () => anyDict({ maxBytes: 16_384 });

const DocumentInput = model({
  content: str({ min: 1, max: MAX_CONTENT, description: 'Plain text, Markdown or HTML.' }),
  metadata: metadata().nullable().optional(),
}).meta({ id: 'KnowledgeDocumentInput' });

const documents = () =>
  list(DocumentInput, { min: 1, max: MAX_DOCUMENTS }).refine(
    (all) => all.reduce((sum, { content }) => sum + content.length, 0) <= MAX_TOTAL,
    { message: `the documents must not be longer than ${MAX_TOTAL} characters together` },
  );

const name = () => str({ max: 255, description: 'Name of the knowledge base.' });
const description = () => str({ max: 2_000 });
const language = () =>
  oneOf(LANGUAGES, {
    description: 'ISO 639-1, for full-text search. Default: detected for each document.',
  });

const TEXTS = {
  name: name().nullable().optional(),
  description: description().nullable().optional(),
  language: language().nullable().optional(),
};

export const CreateKnowledgeBase = model({ ...TEXTS, documents: documents() }).meta({
  id: 'CreateKnowledgeBase',
});
export type CreateKnowledgeBase = z.output<typeof CreateKnowledgeBase>;

/** A form with the first file of a knowledge base. */
export const CreateKnowledgeBaseForm = model({
  name: name().optional(),
  description: description().optional(),
  language: language().optional(),
  file: documentUpload(),
}).meta({ id: 'CreateKnowledgeBaseForm' });

export const UpdateKnowledgeBase = model({
  ...TEXTS,
  documents: documents().optional(),
}).meta({
  id: 'UpdateKnowledgeBase',
  description: 'Missing fields stay unchanged. `documents` replaces all documents.',
});
export type UpdateKnowledgeBase = z.output<typeof UpdateKnowledgeBase>;

export const KnowledgeBasePath = model({ kb_id: int() });
export const ListKnowledgeBases = model(PAGE_FIELDS);

const FIELDS = {
  kb_id: int(),
  document_count: int(),
  created_at: str({ format: 'date-time' }),
  updated_at: str({ format: 'date-time' }),
  name: str(),
  description: str(),
  language: str({ description: 'ISO 639-1; null: detected for each document.' }).nullable(),
  message: str({ description: 'The progress of indexing.' }),
};

export const KnowledgeBaseBody = model(FIELDS).meta({ id: 'KnowledgeBase' });
export type KnowledgeBaseBody = z.output<typeof KnowledgeBaseBody>;

export const KnowledgeBaseWithDocuments = model({
  ...FIELDS,
  documents: list(
    model({ content: str(), metadata: metadata() }).meta({ id: 'KnowledgeDocument' }),
  ),
}).meta({ id: 'KnowledgeBaseWithDocuments' });

export const KnowledgeBasePage = model({
  items: list(KnowledgeBaseBody),
  pagination: Pagination,
}).meta({ id: 'KnowledgeBasePage' });
