import { type KnowledgeSearch, type Passage, sourcesOf } from './knowledge.js';
import type { ReplyModel, ReplyRequest, ReplyToken } from './reply-model.js';

/** Passages that go along with a question. */
const PASSAGES = 4;
/**
 * A passage that is neither so near in meaning nor has so many of the question's words is about
 * something else. Source: the embedder's scores on the responder's tests.
 */
const RELEVANT = 0.25;
const SHARED = 0.4;

/** A language model that is told, with each question, what the agent's knowledge base has on it. */
export class InformedModel implements ReplyModel {
  readonly id: string;
  readonly #model: ReplyModel;
  readonly #knowledge: KnowledgeSearch;

  constructor(model: ReplyModel, knowledge: KnowledgeSearch) {
    this.id = model.id;
    this.#model = model;
    this.#knowledge = knowledge;
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyToken> {
    const facts = await this.#factsFor(request);
    yield* this.#model.reply({ ...request, facts });
  }

  async #factsFor(request: ReplyRequest): Promise<readonly string[]> {
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
