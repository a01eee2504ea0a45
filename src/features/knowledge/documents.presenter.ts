import type { ListedDocument } from './documents.repository.js';
import type { DocumentBody } from './documents.schema.js';

const STATUSES = { pending: 'PENDING', indexed: 'INDEXED', failed: 'FAILED' } as const;

/** The body of a document of a knowledge base. */
export function presentDocument(kbId: number, document: ListedDocument): DocumentBody {
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
