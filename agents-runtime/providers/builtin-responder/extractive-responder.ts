import { cachedPromise } from '../../../media/async/bounded-map.js';
import { runInSteps } from '../../../media/async/cooperative.js';
import type { Embedder } from '../../../media/embeddings/embedder.js';
import { chunkText, splitIntoSentences } from '../../../media/embeddings/text-chunker.js';
import type { Priority } from '../../../media/runtime/cpu-scheduler.js';
import { CallError } from '../../contract/errors.js';
import { type KnowledgeSearch, type Passage, sourcesOf } from '../../contract/knowledge.js';
import type { HistoryItem, LanguageModel, LlmRequest } from '../../contract/language-model.js';
import { bestAnswer, type Candidate } from './answer-ranking.js';
import { type FactPassage, factsOf } from './prompt-facts.js';
import { type CallerQuestion, callerQuestionOf } from './question.js';
import { type SmallTalk, smallTalkOf } from './small-talk.js';

/** Passages of the knowledge base for each question; a passage has a dozen sentences or more. */
const PASSAGES = 3;
/** Prompts and passages whose vectors are cached. */
const MAX_CACHED_TEXTS = 320;
/** Passages of a prompt that are searched. */
const MAX_PROMPT_PASSAGES = 400;

const ANSWERS: Readonly<Record<SmallTalk | 'unknown' | 'empty', string>> = {
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

/** A passage with one vector for each sentence. */
interface EmbeddedPassage extends FactPassage {
  readonly vectors: readonly Float32Array[];
}

/** The facts in one passage of the knowledge base. */
interface FoundFacts {
  readonly passage: Passage;
  readonly facts: readonly EmbeddedPassage[];
}

/**
 * Answers with the nearest sentence of the agent's prompt or knowledge base. It needs no LLM and no
 * account, and generates no text. It answers small talk in English, and says when it has no answer.
 */
export class ExtractiveResponder implements LanguageModel {
  readonly id: string;
  readonly #embedder: Embedder;
  readonly #knowledge: KnowledgeSearch;
  readonly #embedded = new Map<string, Promise<readonly EmbeddedPassage[]>>();

  constructor(options: {
    readonly id: string;
    readonly embedder: Embedder;
    readonly knowledge: KnowledgeSearch;
  }) {
    this.id = options.id;
    this.#embedder = options.embedder;
    this.#knowledge = options.knowledge;
  }

  warm(prompt: string, language: string): void {
    // The reply that needs the vectors reports the failure.
    this.#promptFacts(prompt, language).catch(() => undefined);
  }

  async *generate(request: LlmRequest): AsyncGenerator<string> {
    const { history } = request;
    const talk = smallTalkOf(history.at(-1)?.text ?? '');
    if (talk) {
      yield smallTalkAnswer(talk, history);
      return;
    }
    try {
      yield await this.#answer(request, callerQuestionOf(history, request.language));
    } catch (cause) {
      throw new CallError('REPLY_FAILED', 'The built-in responder could not search', { cause });
    }
  }

  async #answer(request: LlmRequest, question: CallerQuestion): Promise<string> {
    const { prompt, knowledgeBaseId, signal, language } = request;
    const topic = question.topic.join(' ') || question.text;
    const options = { priority: 'turn', signal } as const;
    const [vector, topicVector] = await this.#embedder.embed([question.text, topic], options);
    const promptFacts = await this.#promptFacts(prompt, language);
    const found =
      knowledgeBaseId === null ? [] : await this.#find(knowledgeBaseId, question, language);
    if (knowledgeBaseId !== null) request.onRetrieved?.();
    const facts = [...promptFacts, ...found.flatMap((each) => each.facts)];
    const candidates = facts.flatMap((fact, passage) =>
      candidatesOf(fact, passage, vector!, topicVector!),
    );
    if (candidates.length === 0) return ANSWERS.empty;
    const answer = bestAnswer(question, candidates, language);
    if (answer === undefined) return ANSWERS.unknown;
    const source = found.find((each) => each.facts.includes(facts[answer.passage]!));
    if (knowledgeBaseId !== null && source) {
      request.onSources?.(sourcesOf(knowledgeBaseId, [source.passage]));
    }
    return answer.text;
  }

  async #find(
    knowledgeBaseId: number,
    question: CallerQuestion,
    language: string,
  ): Promise<readonly FoundFacts[]> {
    const passages = await this.#knowledge.search(knowledgeBaseId, question.text, PASSAGES);
    return Promise.all(
      passages.map(async (passage) => {
        const { title, text } = passage;
        const facts = await this.#cached(`passage ${language} ${title}\n${text}`, async () =>
          this.#embed(passageFacts(title, text, language), 'turn'),
        );
        return { passage, facts };
      }),
    );
  }

  #promptFacts(prompt: string, language: string): Promise<readonly EmbeddedPassage[]> {
    return this.#cached(`prompt ${language} ${prompt}`, async () => {
      const facts = await runInSteps(factsOf(prompt, language));
      return this.#embed(facts.slice(0, MAX_PROMPT_PASSAGES), 'background');
    });
  }

  #cached(key: string, embed: () => Promise<readonly EmbeddedPassage[]>) {
    return cachedPromise(this.#embedded, key, MAX_CACHED_TEXTS, embed);
  }

  async #embed(
    passages: readonly FactPassage[],
    priority: Priority,
  ): Promise<readonly EmbeddedPassage[]> {
    const texts = passages.flatMap(({ sentences }) => sentences);
    const vectors = await this.#embedder.embed(texts, { priority });
    let end = 0;
    return passages.map((passage) => {
      const start = end;
      end += passage.sentences.length;
      return { ...passage, vectors: vectors.slice(start, end) };
    });
  }
}

function smallTalkAnswer(talk: SmallTalk, history: readonly HistoryItem[]): string {
  const last = history.findLast(({ role }) => role === 'agent')?.text;
  return talk === 'repeat' && last ? last : ANSWERS[talk];
}

/** The statements of a passage. A question is the heading of the sentences after it. */
function candidatesOf(
  { heading, sentences, vectors }: EmbeddedPassage,
  passage: number,
  question: Float32Array,
  topic: Float32Array,
): Candidate[] {
  let currentHeading = heading;
  return sentences.flatMap((text, i) => {
    if (text.endsWith('?')) {
      currentHeading = `${heading} ${text}`;
      return [];
    }
    const vector = vectors[i]!;
    const scores = { score: dot(question, vector), topicScore: dot(topic, vector) };
    return [{ text, heading: currentHeading, passage, ...scores }];
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function passageFacts(title: string, text: string, language: string): FactPassage[] {
  return chunkText(text, language).map(({ heading, text }) => ({
    heading: [title, heading].filter((part) => part !== '').join(', '),
    sentences: splitIntoSentences(text, language),
  }));
}
