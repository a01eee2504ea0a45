import { type KnowledgeSearch, type Passage, sourcesOf } from '../contract/knowledge.js';
import type { LanguageModel, LlmRequest, ReplyToken } from '../contract/language-model.js';

/** Passages that the model receives with a question. */
const PASSAGES = 4;
/**
 * A passage is relevant from this cosine similarity, or from this share of the question's words. Source: scores
 * on the questions of the built-in responder's tests.
 */
const MIN_SIMILARITY = 0.25;
const MIN_WORD_SHARE = 0.4;

/** Adds relevant passages of the agent's knowledge base to each request of a language model. */
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
    request.onRetrieved?.();
    request.onSources?.(sourcesOf(knowledgeBaseId, passages));
    return passages.map(({ documentName, title, text }) => {
      const source = title || documentName;
      return source ? `[${source}]\n${text}` : text;
    });
  }
}

function isRelevant({ similarity, wordShare }: Passage): boolean {
  return (similarity ?? 0) >= MIN_SIMILARITY || wordShare >= MIN_WORD_SHARE;
}
