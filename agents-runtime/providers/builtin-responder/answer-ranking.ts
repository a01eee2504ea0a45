import { contentWords } from './content-words.js';
import type { Question } from './question.js';
import { asksForOwnLocation, containsAddress, questionTypeOf } from './question-type.js';

/** A sentence that may be the answer. */
export interface Candidate {
  readonly text: string;
  /** Which passage it stands in; sentences of one passage may be told together. */
  readonly passage: number;
  /** The title, or the question, that it stands below. */
  readonly heading: string;
  /** Nearness to the question in meaning, −1…1, of the sentence and of the whole passage. */
  readonly score: number;
  readonly passageScore: number;
  /** Nearness of the sentence to the question's topic. */
  readonly topicScore: number;
}

/*
 * Found on the questions of the tests.
 */
/** Below this score nothing in the texts answers the question. */
const KNOWN = 0.4;
/** A second sentence is added when it comes about as near as the first. */
const SECOND_WITHIN = 0.12;
/** How much the passage counts beside the sentence. */
const PASSAGE_WEIGHT = 0.3;
/** How much shared words of substance add to the nearness in meaning. */
const SHARED_WORDS_WEIGHT = 0.25;
/** An answer without any word of the topic must come as near to it in meaning. */
const ON_TOPIC = 0.25;
/** What a sentence that gives the kind of thing asked for has before others. */
const KIND_BONUS = 0.1;

/** What is told, and the passage that it stands in. */
export interface BestAnswer {
  readonly text: string;
  readonly passage: number;
}

/** The sentence that answers best, with a second one of its passage when that comes as near. */
export function bestAnswer(
  question: Question,
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
  if (!isPlace && (first.known < KNOWN || !first.isOnTopic)) return undefined;
  const second = scored
    .filter((next) => next !== first && next.passage === first.passage)
    .filter((next) => first.score - next.score < SECOND_WITHIN)
    .sort((a, b) => b.score - a.score)[0];
  const { passage } = first;
  if (!second) return { text: first.text, passage };
  // In the order of the passage, so that it reads as it was written.
  const isInOrder = scored.indexOf(first) < scored.indexOf(second);
  const [left, right] = isInOrder ? [first, second] : [second, first];
  return { text: `${left.text} ${right.text}`, passage };
}

interface Scored {
  readonly text: string;
  readonly passage: number;
  /** How sure it is that this is about the question. */
  readonly known: number;
  readonly isOnTopic: boolean;
  /** The order among candidates. */
  readonly score: number;
}

function scoredBy(
  { focus, topic }: Question,
  candidates: readonly Candidate[],
  language: string,
): readonly Scored[] {
  const asked = contentWords(focus, language);
  // Recognisers write "hard cover" for "hardcover".
  const joined = topic.slice(1).map((word, i) => `${topic[i]}${word}`);
  const topicWords = contentWords([...topic, ...joined].join(' '), language);
  const words = candidates.map(({ text, heading }) => contentWords(`${heading} ${text}`, language));
  const weights = new Map([...asked].map((word) => [word, rarity(word, words)]));
  const isOfKind = questionTypeOf(focus);
  return candidates.map(({ text, passage, score, passageScore, topicScore }, i) => {
    const meaning = Math.max(score, (1 - PASSAGE_WEIGHT) * score + PASSAGE_WEIGHT * passageScore);
    const known = meaning + SHARED_WORDS_WEIGHT * sharedWords(weights, words[i]!);
    const isOnTopic =
      topicWords.size === 0 ||
      topicScore >= ON_TOPIC ||
      [...topicWords].some((word) => words[i]!.has(word));
    return { text, passage, known, isOnTopic, score: known + (isOfKind(text) ? KIND_BONUS : 0) };
  });
}

/** A word that every other sentence has ("shop") tells less than one that a single one has. */
function rarity(word: string, sentences: readonly ReadonlySet<string>[]): number {
  const having = sentences.filter((words) => words.has(word)).length;
  return 1 / (1 + Math.max(0, having - 1) * 0.25);
}

/** The share of the question's words of substance that a sentence holds, 0…1. */
function sharedWords(asked: ReadonlyMap<string, number>, sentence: ReadonlySet<string>): number {
  let all = 0;
  let shared = 0;
  for (const [word, weight] of asked) {
    all += weight;
    if (sentence.has(word)) shared += weight;
  }
  // A single word that is shared is not much to go by.
  return asked.size === 0 ? 0 : (shared / all) * Math.min(1, asked.size / 2);
}
