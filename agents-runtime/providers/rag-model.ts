import { type KnowledgeSearch, type Passage, sourcesOf } from '../contract/knowledge.js';
import type { LanguageModel, LlmRequest, ReplyToken } from '../contract/language-model.js';

/** Passages that go along with a question. */
const PASSAGES = 4;
/**
 * A passage that is neither so near in meaning nor has so many of the question's words is about
 * something else. Source: the embedder's scores on the responder's tests.
 */
const RELEVANT = 0.25;
const SHARED = 0.4;

/** A language model that is told, with each question, what the agent's knowledge base has on it. */
export class RagModel implements LanguageModel {
  readonly id: string;
  readonly #model: LanguageModel;
  readonly #knowledge: KnowledgeSearch;

  constructor(model: LanguageModel, knowledge: KnowledgeSearch) {
    this.id = model.id;
    this.#model = model;
    this.#knowledge = knowledge;
  }

  async *generate(request: LlmRequest): AsyncGenerator<ReplyToken> {
    const facts = await this.#factsFor(request);
    yield* this.#model.generate({ ...request, facts });
  }

  async #factsFor(request: LlmRequest): Promise<readonly string[]> {
    const { history, knowledgeBaseId } = request;
    const question = history.findLast(({ role }) => role === 'user')?.text;
    if (knowledgeBaseId === null || !question) return [];
    const found = await this.#knowledge.search(knowledgeBaseId, question, PASSAGES);
    const passages = found.filter(isRelevant);
    request.onKnown?.();
    request.onSources?.(sourcesOf(knowledgeBaseId, passages));
    return passages.map(({ documentName, title, text }) => {
      const source = title || documentName;
      return source ? `[${source}]\n${text}` : text;
    });
  }
}

function isRelevant({ similarity, wordShare }: Passage): boolean {
  return (similarity ?? 0) >= RELEVANT || wordShare >= SHARED;
}
