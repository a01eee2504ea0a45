import type { Embedder } from '../../media/inference/embedder.js';
import { CallError } from '../errors.js';
import { bestAnswer, type Candidate } from './best-answer.js';
import { type KnowledgeSearch, type Passage, sourcesOf } from './knowledge.js';
import { splitSentences } from './passages.js';
import { type FactPassage, factsOf } from './prompt-facts.js';
import { type Question, questionOf } from './question.js';
import type { HistoryItem, ReplyModel, ReplyRequest } from './reply-model.js';
import { type SmallTalk, smallTalkOf } from './small-talk.js';

const PASSAGES = 5;
/** Prompts whose vectors are kept. */
const KEPT_PROMPTS = 64;
const MOST_SENTENCES = 400;

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

/** The vectors of a question and of its topic. */
interface Query {
  readonly asked: Float32Array;
  readonly about: Float32Array;
}

/**
 * Answers from the agent's own prompt and knowledge base by searching for the nearest sentence: no
 * language model, no account, and nothing made up. It greets, thanks and says when it does not know.
 */
export class ExtractiveResponder implements ReplyModel {
  readonly id: string;
  readonly #embedder: Embedder;
  readonly #knowledge: KnowledgeSearch;
  readonly #prompts = new Map<string, Promise<readonly VectoredPassage[]>>();

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

  async *reply(request: ReplyRequest): AsyncGenerator<string> {
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

  async #answer(request: ReplyRequest, question: Question): Promise<string> {
    const { prompt, knowledgeBaseId, signal, language } = request;
    const topic = question.topic.join(' ') || question.text;
    const options = { priority: 'turn', signal } as const;
    const [asked, about] = await this.#embedder.embed([question.text, topic], options);
    const query: Query = { asked: asked!, about: about! };
    const own = await this.#passagesOf(prompt, language);
    const passages =
      knowledgeBaseId === null
        ? []
        : await this.#knowledge.search(knowledgeBaseId, query.asked, PASSAGES);
    const found = await this.#candidatesIn(passages, query, request);
    if (knowledgeBaseId !== null) request.onKnown?.();
    const candidates = [...own.flatMap((passage, i) => ofPrompt(passage, i, query)), ...found];
    if (candidates.length === 0) return SAYINGS.empty;
    const answer = bestAnswer(question, candidates, language);
    if (answer === undefined) return SAYINGS.unknown;
    if (knowledgeBaseId !== null) {
      const from = passages.filter((_, i) => answer.passage === numberOfFound(i));
      request.onSources?.(sourcesOf(knowledgeBaseId, from));
    }
    return answer.text;
  }

  /** The sentences of passages that were found. */
  async #candidatesIn(
    passages: readonly Passage[],
    query: Query,
    { signal, language }: ReplyRequest,
  ): Promise<Candidate[]> {
    if (passages.length === 0) return [];
    const sentences = passages.flatMap(({ text, heading = '', score }, i) =>
      answersIn({ heading, sentences: splitSentences(text, language) }).map((answer) => ({
        ...answer,
        passage: numberOfFound(i),
        passageScore: score,
      })),
    );
    const texts = sentences.map(({ text }) => text);
    const vectors = await this.#embedder.embed(texts, { priority: 'turn', signal });
    return sentences.map((sentence, i) => ({ ...sentence, ...nearness(query, vectors[i]!) }));
  }

  /** The facts of a prompt, with their vectors; made once. */
  #passagesOf(prompt: string, language: string): Promise<readonly VectoredPassage[]> {
    const key = `${language} ${prompt}`;
    const known = this.#prompts.get(key);
    if (known) return known;
    const passages = this.#vectored(factsOf(prompt, language).slice(0, MOST_SENTENCES));
    passages.catch(() => this.#prompts.delete(key));
    this.#prompts.set(key, passages);
    if (this.#prompts.size > KEPT_PROMPTS) {
      const [oldest] = this.#prompts.keys();
      this.#prompts.delete(oldest!);
    }
    return passages;
  }

  async #vectored(passages: readonly FactPassage[]): Promise<VectoredPassage[]> {
    const options = { priority: 'background' } as const;
    const wholes = passages.map(({ heading, sentences }) =>
      [heading, sentences.join(' ')].filter((part) => part !== '').join(': '),
    );
    const texts = passages.flatMap(({ sentences }) => sentences);
    const vectors = await this.#embedder.embed([...wholes, ...texts], options);
    let at = passages.length;
    return passages.map((passage, i) => {
      const from = at;
      at += passage.sentences.length;
      return { ...passage, whole: vectors[i]!, vectors: vectors.slice(from, at) };
    });
  }
}

/** Beside those of the prompt, which count upwards. */
function numberOfFound(index: number): number {
  return -1 - index;
}

function ofPrompt(passage: VectoredPassage, index: number, query: Query): Candidate[] {
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
