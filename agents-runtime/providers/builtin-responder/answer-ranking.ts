import { contentWords } from './content-words.js';
import type { CallerQuestion } from './question.js';
import { asksForOwnLocation, containsAddress, questionTypeOf } from './question-type.js';

/** A sentence that may be the answer. */
export interface Candidate {
  readonly text: string;
  /** Index of its passage. Two sentences of one passage may form the answer. */
  readonly passage: number;
  /** Titles and questions above the sentence. */
  readonly heading: string;
  /** Cosine similarity to the question, −1…1. */
  readonly score: number;
  /** Cosine similarity to the question's topic, −1…1. */
  readonly topicScore: number;
}

// Source of the following constants: the questions of the tests.
/** Score below which no text answers the question. */
const MIN_SCORE = 0.4;
/** Largest difference in score at which a second sentence joins the answer. */
const MAX_SECOND_GAP = 0.12;
/** Weight of the shared content words, added to the similarity. */
const SHARED_WORDS_WEIGHT = 0.25;
/** Topic similarity that an answer without a word of the topic needs. */
const MIN_TOPIC_SCORE = 0.25;
/** Bonus of a sentence with the kind of fact that the question asks for. */
const QUESTION_TYPE_BONUS = 0.1;

interface BestAnswer {
  readonly text: string;
  readonly passage: number;
}

/** The best sentence, and a second one of its passage if it scores about as high. */
export function bestAnswer(
  question: CallerQuestion,
  candidates: readonly Candidate[],
  language: string,
): BestAnswer | undefined {
  if (candidates.length === 0) return undefined;
  const addresses = asksForOwnLocation(question.focus)
    ? candidates.filter(({ text }) => containsAddress(text))
    : [];
  const isPlace = addresses.length > 0;
  const scored = scoredBy(question, isPlace ? addresses : candidates, language);
  const first = scored.reduce((top, next) => (next.score > top.score ? next : top));
  if (!isPlace && (first.relevance < MIN_SCORE || !first.isOnTopic)) return undefined;
  const second = scored
    .filter((next) => next !== first && next.passage === first.passage)
    .filter((next) => first.score - next.score < MAX_SECOND_GAP)
    .sort((a, b) => b.score - a.score)[0];
  const { passage } = first;
  if (!second) return { text: first.text, passage };
  // In the order of the passage.
  const isInOrder = scored.indexOf(first) < scored.indexOf(second);
  const [left, right] = isInOrder ? [first, second] : [second, first];
  return { text: `${left.text} ${right.text}`, passage };
}

interface Scored {
  readonly text: string;
  readonly passage: number;
  /** Similarity to the question in meaning and in words. */
  readonly relevance: number;
  readonly isOnTopic: boolean;
  /** `relevance` and the bonus. */
  readonly score: number;
}

function scoredBy(
  { focus, topic }: CallerQuestion,
  candidates: readonly Candidate[],
  language: string,
): readonly Scored[] {
  const asked = contentWords(focus, language);
  // Recognisers write "hard cover" for "hardcover".
  const joined = topic.slice(1).map((word, i) => `${topic[i]}${word}`);
  const topicWords = contentWords([...topic, ...joined].join(' '), language);
  const words = candidates.map(({ text, heading }) => contentWords(`${heading} ${text}`, language));
  const weights = new Map([...asked].map((word) => [word, rarity(word, words)]));
  const isOfType = questionTypeOf(focus);
  return candidates.map(({ text, passage, score, topicScore }, i) => {
    const relevance = score + SHARED_WORDS_WEIGHT * sharedWords(weights, words[i]!);
    const isOnTopic =
      topicWords.size === 0 ||
      topicScore >= MIN_TOPIC_SCORE ||
      [...topicWords].some((word) => words[i]!.has(word));
    const bonus = isOfType(text) ? QUESTION_TYPE_BONUS : 0;
    return { text, passage, relevance, isOnTopic, score: relevance + bonus };
  });
}

/** Weight of a word: lower the more sentences contain it ("shop"). */
function rarity(word: string, sentences: readonly ReadonlySet<string>[]): number {
  const having = sentences.filter((words) => words.has(word)).length;
  return 1 / (1 + Math.max(0, having - 1) * 0.25);
}

/** The weighted fraction of the question's content words that a sentence contains, 0…1. */
function sharedWords(asked: ReadonlyMap<string, number>, sentence: ReadonlySet<string>): number {
  let all = 0;
  let shared = 0;
  for (const [word, weight] of asked) {
    all += weight;
    if (sentence.has(word)) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}
