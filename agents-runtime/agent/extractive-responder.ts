import type { Embedder } from '../../media/inference/embedder.js';
import { CallError } from '../errors.js';
import { wordsOf } from '../turn/words.js';
import type { KnowledgeSearch } from './knowledge.js';
import { splitPassages, splitSentences } from './passages.js';
import type { HistoryItem, ReplyModel, ReplyRequest } from './reply-model.js';
import { type SmallTalk, smallTalkOf } from './small-talk.js';

/** Below this score nothing in the texts answers the question. Found on the questions of the tests. */
const KNOWN = 0.4;
/** A second sentence is added when it comes about as near as the first. */
const SECOND_WITHIN = 0.12;
/** How much shared words of substance add to the nearness in meaning. */
const SHARED_WORDS_WEIGHT = 0.25;
const PASSAGES = 4;
/** Prompts whose vectors are kept. */
const KEPT_PROMPTS = 64;
const MOST_SENTENCES = 400;

const SAYINGS: Readonly<Record<SmallTalk | 'unknown' | 'empty', string>> = {
  hello: 'Hello! What would you like to know?',
  thanks: 'You are welcome. Is there anything else I can help you with?',
  goodbye: 'Thank you for calling. Goodbye!',
  'how-are-you': 'I am well, thank you. How can I help you?',
  'who-are-you': 'I am an automated assistant. I answer from the information that I was given.',
  repeat: 'I have not said anything yet. How can I help you?',
  unknown: 'I am sorry, I do not know that. I can only tell you what I was told about.',
  empty: 'I am sorry, I have not been told anything that I could answer from.',
};

/** Sentences that tell the agent how to behave, not the caller a fact. */
const INSTRUCTION =
  /^(you are|you're|you will|you should|you must|you can (?:only )?(?:answer|use)|your (task|job|role|goal|name|tone)|answer|never|always|do not|don't|be |speak|keep|ask|offer|use |act|respond|reply|greet|say |if (they|the caller|a caller|the user|a user|the customer|you do)|when (the caller|a caller|the user|asked)|stay|help (the|callers|users|customers)|only (answer|use)|assist|your )/i;

/** Too common to tell what a question is about. */
const COMMON = new Set(
  'a an and are as at be by can could do does for from had has have how i if in is it its me my of on or our please so tell than that the their them there they this to us was we were what when where which who why will with would you your about any get give know like much many some want need'.split(
    ' ',
  ),
);

interface Sentence {
  readonly text: string;
  readonly passage: number;
  readonly vector: Float32Array;
}

/**
 * Answers from the agent's own prompt and knowledge base by searching for the nearest sentence: no
 * language model, no account, and nothing made up. It greets, thanks and says when it does not know.
 */
export class ExtractiveResponder implements ReplyModel {
  readonly id: string;
  readonly #embedder: Embedder;
  readonly #knowledge: KnowledgeSearch;
  readonly #prompts = new Map<string, Promise<readonly Sentence[]>>();

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
    this.#sentencesOf(prompt, language).catch(() => undefined);
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
      yield await this.#answer(request, questionOf(history));
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
    const options = { priority: 'turn', signal } as const;
    const [query] = await this.#embedder.embed([question.text], options);
    const own = await this.#sentencesOf(prompt, language);
    const passages =
      knowledgeBaseId === null
        ? []
        : await this.#knowledge.search(knowledgeBaseId, query!, PASSAGES);
    const found = await this.#embedAll(
      passages.map(({ text }) => splitSentences(text, language)),
      signal,
    );
    if (own.length + found.length === 0) return SAYINGS.empty;
    return best(question.focus, query!, own, found, language) ?? SAYINGS.unknown;
  }

  /** The facts of a prompt, with their vectors; made once. */
  #sentencesOf(prompt: string, language: string): Promise<readonly Sentence[]> {
    const known = this.#prompts.get(prompt);
    if (known) return known;
    const facts = splitPassages(prompt, language).map(({ text }) =>
      splitSentences(text, language).filter((sentence) => !INSTRUCTION.test(sentence)),
    );
    const sentences = this.#embedAll(facts);
    sentences.catch(() => this.#prompts.delete(prompt));
    this.#prompts.set(prompt, sentences);
    if (this.#prompts.size > KEPT_PROMPTS) {
      const [oldest] = this.#prompts.keys();
      this.#prompts.delete(oldest!);
    }
    return sentences;
  }

  async #embedAll(
    passages: readonly (readonly string[])[],
    signal?: AbortSignal,
  ): Promise<Sentence[]> {
    const flat = passages
      .flatMap((sentences, passage) => sentences.map((text) => ({ text, passage })))
      .slice(0, MOST_SENTENCES);
    const vectors = await this.#embedder.embed(
      flat.map(({ text }) => text),
      { priority: signal ? 'turn' : 'background', ...(signal && { signal }) },
    );
    return flat.map((sentence, i) => ({ ...sentence, vector: vectors[i]! }));
  }
}

interface Question {
  readonly text: string;
  /** The newest part of it, whose words weigh. */
  readonly focus: string;
}

/** What is asked; a short question that leans on the one before is asked together with it. */
function questionOf(history: readonly HistoryItem[]): Question {
  const questions = history
    .filter(({ role }) => role === 'user')
    .map(({ text }) => withoutOpening(text));
  const last = questions.at(-1) ?? '';
  const leans =
    /^(and|what about|how about|or|also|but)\b/i.test(last.trim()) && last.split(/\s+/).length <= 7;
  const before = questions.at(-2);
  return { text: leans && before ? `${before} ${last}` : last, focus: last };
}

/** Without the words by which people take the floor. */
function withoutOpening(text: string): string {
  const rest = text.replace(
    /^((stop|wait|no|okay|ok|um|uh|well|so|sorry|excuse me)[\s,.!]+)+/i,
    '',
  );
  return /\p{L}/u.test(rest) ? rest : text;
}

/** The nearest sentence, with a second one of its passage when that comes as near. */
function best(
  question: string,
  query: Float32Array,
  own: readonly Sentence[],
  found: readonly Sentence[],
  language: string,
): string | undefined {
  const words = contentWords(question, language);
  const scored = [own, found].flatMap((sentences, source) =>
    sentences.map((sentence) => ({
      ...sentence,
      source,
      score: dot(query, sentence.vector) + sharedWords(words, sentence.text, language),
    })),
  );
  const first = scored.reduce((top, next) => (next.score > top.score ? next : top));
  if (first.score < KNOWN) return undefined;
  const second = scored
    .filter(
      (next) =>
        next !== first &&
        next.source === first.source &&
        next.passage === first.passage &&
        first.score - next.score < SECOND_WITHIN,
    )
    .sort((a, b) => b.score - a.score)[0];
  if (!second) return first.text;
  // In the order of the passage, so that it reads as it was written.
  return scored.indexOf(first) < scored.indexOf(second)
    ? `${first.text} ${second.text}`
    : `${second.text} ${first.text}`;
}

function contentWords(text: string, language: string): Set<string> {
  const words = wordsOf(text, language).filter((word) => !COMMON.has(word));
  return new Set(words.map(stem));
}

/** English endings off, so that "returns" meets "return": only ever compared with its like. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s)$/, '') : word.replace(/s$/, '');
}

/** The share of the question's words of substance that a sentence holds, weighted. */
function sharedWords(words: ReadonlySet<string>, sentence: string, language: string): number {
  if (words.size === 0) return 0;
  const has = contentWords(sentence, language);
  let shared = 0;
  for (const word of words) if (has.has(word)) shared++;
  return (SHARED_WORDS_WEIGHT * shared) / Math.max(2, words.size);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
