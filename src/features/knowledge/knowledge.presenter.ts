import type { KnowledgeBase } from './knowledge.repository.js';
import type { KnowledgeBaseBody } from './knowledge.schema.js';

/**
 * The body of a knowledge base.
 * @param whyIndexingWaits - the reason, if indexing is interrupted
 */
export function presentKnowledgeBase(
  kb: KnowledgeBase,
  whyIndexingWaits: string | undefined,
): KnowledgeBaseBody {
  return {
    kb_id: kb.kbId,
    document_count: kb.documentCount,
    created_at: kb.createdAt.toISOString(),
    updated_at: kb.updatedAt.toISOString(),
    name: kb.name,
    description: kb.description,
    language: kb.language,
    message: progressOf(kb, whyIndexingWaits),
  };
}

function progressOf(
  { documentCount, indexedCount, failedCount, passageCount }: KnowledgeBase,
  whyIndexingWaits: string | undefined,
) {
  if (indexedCount < documentCount) {
    const waiting = whyIndexingWaits ? `, waiting: ${whyIndexingWaits}` : '';
    return `indexing ${indexedCount + 1} of ${documentCount} documents${waiting}`;
  }
  const failed = failedCount === 0 ? '' : `, ${counted(failedCount, 'document')} not indexed`;
  return `ready: ${counted(passageCount, 'passage')}${failed}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
