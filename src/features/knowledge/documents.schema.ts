import type { z } from 'zod';
import { upload } from '../../platform/http/validation/multipart-body.js';
import { PAGE_FIELDS, Pagination } from '../../platform/http/validation/pagination.js';
import {
  anyDict,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';
import { DOCUMENT_KINDS } from './extraction/document-kind.js';

/** A file field. */
export const documentUpload = () =>
  upload({
    description:
      'Plain text, Markdown, HTML, PDF or DOCX. The type is detected from the content and the name.',
    mediaTypes: [
      'text/plain',
      'text/markdown',
      'text/html',
      'application/pdf',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    example: '# Opening hours\nThe pool opens at six.',
  });

export const AddDocument = model({
  file: documentUpload(),
  name: str({ min: 1, max: 255, description: 'Default: the name of the file.' })
    .nullable()
    .optional(),
}).meta({ id: 'AddKnowledgeDocument' });

export const DocumentsPath = model({ kb_id: int() });
export const DocumentPath = model({ kb_id: int(), document_id: int() });
export const ListDocuments = model(PAGE_FIELDS);

export const DocumentBody = model({
  document_id: int(),
  kb_id: int(),
  name: str(),
  title: str({ description: 'The title in the metadata of the document.' }),
  kind: oneOf(DOCUMENT_KINDS),
  bytes: int(),
  metadata: anyDict(),
  status: oneOf(['PENDING', 'INDEXED', 'FAILED']),
  failure_reason: str().nullable(),
  passages: int({ description: 'Number of passages that searches can return.' }),
  created_at: str({ format: 'date-time' }),
}).meta({ id: 'KnowledgeBaseDocument' });
export type DocumentBody = z.output<typeof DocumentBody>;

export const DocumentPage = model({ items: list(DocumentBody), pagination: Pagination }).meta({
  id: 'KnowledgeBaseDocumentPage',
});
