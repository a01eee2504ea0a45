import { cachedPromise } from '../../../media/async/bounded-map.js';
import { inSlices } from '../../../media/async/cooperative.js';
import type { Embedder } from '../../../media/embeddings/embedder.js';
import { chunkText, splitIntoSentences } from '../../../media/embeddings/text-chunker.js';
import type { Priority } from '../../../media/runtime/cpu-scheduler.js';
import { CallError } from '../../contract/errors.js';
import { type KnowledgeSearch, type Passage, sourcesOf } from '../../contract/knowledge.js';
import type { HistoryItem, LanguageModel, LlmRequest } from '../../contract/language-model.js';
import { bestAnswer, type Candidate } from './answer-ranking.js';
import { type FactPassage, factsOf } from './prompt-facts.js';
import { type Question, questionOf } from './question.js';
import { type SmallTalk, smallTalkOf } from './small-talk.js';

/** Of the knowledge base: each has a dozen sentences or more. */
const PASSAGES = 3;
/** Prompts, and passages, whose vectors are kept. */
const KEPT_PROMPTS = 64;
const KEPT_PASSAGES = 256;
/** Of a prompt: each is a fact or a few. */
const MAX_PASSAGES = 400;

const SAYINGS: Readonly<Record<SmallTalk | 'unknown' | 'empty', string>> = {
  hello: 'Hello! What would you like to know?',
  thanks: 'You are welcome. Is there anything else I can help you with?',
  goodbye: 'Thank you for calling. Goodbye!',
  'how-are-you': 'I am well, thank you. How can I help you?',
  'who-are-you': 'I am an automated assistant. I answer from the information that I was given.',
  'what-can-you-do':
    'I answer questions from the information that I was given. What would you like to know?',
  'can-you-hear-me': 'Yes, I can hear you. How can I help you?',
  yes: 'What would you like to know?',
  no: 'All right. I am here if you have another question.',
  fine: 'Is there anything else that you would like to know?',
  repeat: 'I have not said anything yet. How can I help you?',
  unknown: 'I am sorry, I do not know that. I can only tell you what I was told about.',
  empty: 'I am sorry, I have not been told anything that I could answer from.',
};

/** A passage with the vectors of its sentences and of itself. */
interface VectoredPassage extends FactPassage {
  readonly vectors: readonly Float32Array[];
  readonly whole: Float32Array;
}

/** What one passage of a knowledge base tells. */
interface FoundFacts {
  readonly passage: Passage;
  readonly facts: readonly VectoredPassage[];
}

/** The vectors of a question and of its topic. */
interface Query {
  readonly asked: Float32Array;
  readonly about: Float32Array;
}

/**
 * Answers from the agent's own prompt and knowledge base by searching for the nearest sentence: no
 * language model, no account, and nothing made up. It greets, thanks and says when it does not know.
 */
export class ExtractiveResponder implements LanguageModel {
  readonly id: string;
  readonly #embedder: Embedder;
  readonly #knowledge: KnowledgeSearch;
  readonly #prompts = new Map<string, Promise<readonly VectoredPassage[]>>();
  readonly #passages = new Map<string, Promise<readonly VectoredPassage[]>>();

  constructor(options: {
    readonly id: string;
    readonly embedder: Embedder;
    readonly knowledge: KnowledgeSearch;
  }) {
    this.id = options.id;
    this.#embedder = options.embedder;
    this.#knowledge = options.knowledge;
  }

  prepare(prompt: string, language: string): void {
    // A failure is told by the reply that needs the vectors.
    this.#passagesOf(prompt, language).catch(() => undefined);
  }

  async *reply(request: LlmRequest): AsyncGenerator<string> {
    const { history } = request;
    const said = history.at(-1)?.text ?? '';
    const talk = smallTalkOf(said);
    if (talk) {
      yield this.#smallTalk(talk, history);
      return;
    }
    try {
      yield await this.#answer(request, questionOf(history, request.language));
    } catch (cause) {
      throw new CallError('REPLY_FAILED', 'The built-in responder could not search', { cause });
    }
  }

  #smallTalk(talk: SmallTalk, history: readonly HistoryItem[]): string {
    const last = history.findLast((item) => item.role === 'agent')?.text;
    return talk === 'repeat' && last ? last : SAYINGS[talk];
  }

  async #answer(request: LlmRequest, question: Question): Promise<string> {
    const { prompt, knowledgeBaseId, signal, language } = request;
    const topic = question.topic.join(' ') || question.text;
    const options = { priority: 'turn', signal } as const;
    const [asked, about] = await this.#embedder.embed([question.text, topic], options);
    const query: Query = { asked: asked!, about: about! };
    const own = await this.#passagesOf(prompt, language);
    const found =
      knowledgeBaseId === null ? [] : await this.#find(knowledgeBaseId, request, question);
    if (knowledgeBaseId !== null) request.onKnown?.();
    // Those of the prompt come first.
    const facts = [...own, ...found.flatMap((one) => one.facts)];
    const candidates = facts.flatMap((fact, i) => candidatesOf(fact, i, query));
    if (candidates.length === 0) return SAYINGS.empty;
    const answer = bestAnswer(question, candidates, language);
    if (answer === undefined) return SAYINGS.unknown;
    const from = found.find((one) => one.facts.includes(facts[answer.passage]!));
    if (knowledgeBaseId !== null && from) {
      request.onSources?.(sourcesOf(knowledgeBaseId, [from.passage]));
    }
    return answer.text;
  }

  /** What the best passages of a knowledge base tell, one thing each, with their vectors. */
  async #find(
    knowledgeBaseId: number,
    { language }: LlmRequest,
    question: Question,
  ): Promise<readonly FoundFacts[]> {
    const passages = await this.#knowledge.search(knowledgeBaseId, question.text, PASSAGES);
    return Promise.all(
      passages.map(async (passage) => {
        const { title, text } = passage;
        const facts = await cachedPromise(
          this.#passages,
          `${language} ${title}\n${text}`,
          KEPT_PASSAGES,
          () => this.#vectored(factsIn(title, text, language), 'turn'),
        );
        return { passage, facts };
      }),
    );
  }

  /** The facts of a prompt, with their vectors; made once. */
  #passagesOf(prompt: string, language: string): Promise<readonly VectoredPassage[]> {
    return cachedPromise(this.#prompts, `${language} ${prompt}`, KEPT_PROMPTS, async () => {
      const facts = await inSlices(factsOf(prompt, language));
      return this.#vectored(facts.slice(0, MAX_PASSAGES), 'background');
    });
  }

  async #vectored(
    passages: readonly FactPassage[],
    priority: Priority,
  ): Promise<readonly VectoredPassage[]> {
    const wholes = passages.map(({ heading, sentences }) =>
      [heading, sentences.join(' ')].filter((part) => part !== '').join(': '),
    );
    const texts = passages.flatMap(({ sentences }) => sentences);
    const vectors = await this.#embedder.embed([...wholes, ...texts], { priority });
    let at = passages.length;
    return passages.map((passage, i) => {
      const from = at;
      at += passage.sentences.length;
      return { ...passage, whole: vectors[i]!, vectors: vectors.slice(from, at) };
    });
  }
}

function candidatesOf(passage: VectoredPassage, index: number, query: Query): Candidate[] {
  const passageScore = dot(query.asked, passage.whole);
  return answersIn(passage).map(({ at, text, heading }) => ({
    text,
    heading,
    passage: index,
    passageScore,
    ...nearness(query, passage.vectors[at]!),
  }));
}

/** The sentences but for questions; those head what follows them. */
function answersIn({ heading, sentences }: FactPassage) {
  let asked = heading;
  return sentences.flatMap((text, at) => {
    if (!text.endsWith('?')) return [{ at, text, heading: asked }];
    asked = `${heading} ${text}`;
    return [];
  });
}

function nearness({ asked, about }: Query, vector: Float32Array) {
  return { score: dot(asked, vector), topicScore: dot(about, vector) };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** What a passage of a document tells, one thing each. */
function factsIn(title: string, text: string, language: string): FactPassage[] {
  return chunkText(text, language).map(({ heading, text }) => ({
    heading: [title, heading].filter((part) => part !== '').join(', '),
    sentences: splitIntoSentences(text, language),
  }));
}
