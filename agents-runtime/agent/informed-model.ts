import type { Embedder } from '../../media/inference/embedder.js';
import { type KnowledgeSearch, sourcesOf } from './knowledge.js';
import type { ReplyModel, ReplyRequest, ReplyToken } from './reply-model.js';

/** Passages that go along with a question. */
const PASSAGES = 4;
/** Below this a passage is about something else. Source: the embedder's scores on the responder's tests. */
const RELEVANT = 0.25;

/** A language model that is told, with each question, what the agent's knowledge base has on it. */
export class InformedModel implements ReplyModel {
  readonly id: string;
  readonly #model: ReplyModel;
  readonly #embedder: Embedder;
  readonly #knowledge: KnowledgeSearch;

  constructor(model: ReplyModel, embedder: Embedder, knowledge: KnowledgeSearch) {
    this.id = model.id;
    this.#model = model;
    this.#embedder = embedder;
    this.#knowledge = knowledge;
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyToken> {
    const facts = await this.#factsFor(request);
    yield* this.#model.reply({ ...request, facts });
  }

  async #factsFor(request: ReplyRequest): Promise<readonly string[]> {
    const { history, knowledgeBaseId, signal } = request;
    const question = history.findLast(({ role }) => role === 'user')?.text;
    if (knowledgeBaseId === null || !question) return [];
    const [query] = await this.#embedder.embed([question], { priority: 'turn', signal });
    const passages = await this.#knowledge.search(knowledgeBaseId, query!, PASSAGES);
    request.onKnown?.();
    const relevant = passages.filter(({ score }) => score >= RELEVANT);
    request.onSources?.(sourcesOf(knowledgeBaseId, relevant));
    return relevant.map(({ text }) => text);
  }
}
