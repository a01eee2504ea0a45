import { isLanguage, type Language } from '../../media/languages.js';
import { wordsOf } from '../../media/text/words.js';
import { PhraseMatcher } from './phrase-matcher.js';
import { TURN_WORDS } from './word-lists/registry.js';
import type { EntityKind } from './word-lists/turn-words.js';

/** Cues from a turn's words on whether it is over. */
export interface EndpointingCues {
  /** `filler`: ends with "um" or the like; `incomplete`: with a word that another one must follow; `comma`: with a comma or a dash. */
  readonly ending: 'complete' | 'comma' | 'incomplete' | 'filler';
  /** Progress of something dictated in parts, such as a number. */
  readonly entity: EntityProgress | undefined;
}

export type EntityProgress =
  /** Expected, but no part of it has been said. */
  | 'missing'
  /** More parts are expected. */
  | 'partial'
  /** It may be complete. */
  | 'plausible'
  /** No further part is possible. */
  | 'complete';

interface Lists {
  readonly incompleteEndings: PhraseMatcher;
  readonly completeEndings: PhraseMatcher;
  readonly fillers: PhraseMatcher;
  readonly numbers: PhraseMatcher;
  readonly ordinals: PhraseMatcher;
  readonly at: PhraseMatcher;
  readonly dot: PhraseMatcher;
  readonly questions: readonly (readonly [EntityKind, PhraseMatcher])[];
  readonly months: PhraseMatcher;
}

const KINDS: readonly EntityKind[] = ['email', 'spelling', 'birth-date', 'digits', 'date'];
const COMMA_AT_END = /[,;:،、–—-]\s*$/u;
/** A time of day is not a dictated number. */
const TIME_AT_END = /\p{Nd}{1,2}[:.h]\p{Nd}{2}\P{L}*$/u;
const LETTERS = /^\p{L}(?:\.\p{L})*$/u;
const DIGITS = /^\p{Nd}+$/u;
const DIGIT = /\p{Nd}/gu;
const YEAR = /^(?:18|19|20)\d\d$/;
/** Digits of a telephone number (ITU-T E.164); other numbers are shorter. */
const MIN_COMPLETE_DIGITS = 10;
/** Digits of a number that the agent asked for. */
const MIN_PLAUSIBLE_DIGITS = 7;
/** Digits or letters of a series that the agent did not ask for. */
const MIN_PLAUSIBLE_SERIES = 5;
/** Letters of a spelt name. */
const MIN_PLAUSIBLE_NAME = 4;
/** A comma after an answer of at most this many words has no meaning. */
const MAX_SHORT_ANSWER_WORDS = 3;
const listCache = new Map<Language, Lists>();

/** The entity that the agent's text asks for last, if it is usually dictated in parts. */
export function expectedEntityOf(text: string, language: string): EntityKind | undefined {
  const sentences = text.split(/(?<=[.!?…。？！])\s+/u).filter(Boolean);
  const lists = listsFor(language);
  for (const sentence of sentences.slice(-2).reverse()) {
    const words = wordsOf(sentence, language);
    const expected = lists?.questions.find(([, list]) => list.isIn(words));
    if (expected) return expected[0];
  }
  return undefined;
}

/** Cues of a turn's end. Languages without a table have punctuation only. */
export function endpointingCuesOf(
  text: string,
  language: string,
  expected: EntityKind | undefined,
): EndpointingCues {
  const words = wordsOf(text, language).flatMap((word) =>
    LETTERS.test(word) ? word.split('.') : [word],
  );
  const lists = listsFor(language);
  // Speech recognition puts commas after very short answers, too.
  const punctuationEnding =
    words.length > MAX_SHORT_ANSWER_WORDS && COMMA_AT_END.test(text) ? 'comma' : 'complete';
  if (!lists) return { ending: punctuationEnding, entity: undefined };
  return {
    ending: endingOf(words, lists) ?? punctuationEnding,
    entity: entityOf(text, words, lists, expected),
  };
}

function endingOf(words: readonly string[], lists: Lists): EndpointingCues['ending'] | undefined {
  if (words.length > 1 && lists.fillers.endsWithEntry(words)) return 'filler';
  if (lists.completeEndings.endsWithEntry(words)) return undefined;
  return words.length > 1 && lists.incompleteEndings.endsWithEntry(words)
    ? 'incomplete'
    : undefined;
}

function entityOf(
  text: string,
  words: readonly string[],
  lists: Lists,
  expected: EntityKind | undefined,
): EntityProgress | undefined {
  if (expected === 'email') return emailOf(text, words, lists);
  if (expected === 'birth-date') return birthDateOf(words, lists);
  if (expected === 'date')
    return words.some((word) => isNumber(word, lists)) ? 'plausible' : 'missing';
  const spelt = words.filter((word) => LETTERS.test(word)).length;
  if (expected === 'spelling') {
    const unspacedCapitals = /\p{Lu}{2,}/u.exec(text)?.[0].length ?? 0;
    return byCount(Math.max(spelt, unspacedCapitals), 2, MIN_PLAUSIBLE_NAME);
  }
  const digits = words.reduce((sum, word) => sum + digitsIn(word, lists), 0);
  if (expected === 'digits') {
    if (digits >= MIN_COMPLETE_DIGITS) return 'complete';
    return byCount(digits, 1, MIN_PLAUSIBLE_DIGITS);
  }
  return seriesOf(text, words, lists);
}

/** A series of digits or letters at the end of a turn, without a question for it. */
function seriesOf(
  text: string,
  words: readonly string[],
  lists: Lists,
): EntityProgress | undefined {
  if (TIME_AT_END.test(text)) return undefined;
  let from = words.length;
  let count = 0;
  let hasLetters = false;
  while (from > 0) {
    const word = words[from - 1]!;
    // In "o nove um dois", "o" is an article and no letter.
    const isLetter: boolean =
      LETTERS.test(word) && (hasLetters || !lists.incompleteEndings.has(word));
    const here = digitsIn(word, lists) || (isLetter ? 1 : 0);
    if (here === 0) break;
    hasLetters ||= isLetter;
    count += here;
    from--;
  }
  const parts = words.length - from;
  const last = words.at(-1) ?? '';
  if (parts === 1)
    return DIGITS.test(last) && count > 2 && !YEAR.test(last) ? 'plausible' : undefined;
  if (parts === 0) return undefined;
  if (count >= MIN_COMPLETE_DIGITS) return 'complete';
  return count >= MIN_PLAUSIBLE_SERIES ? 'plausible' : 'partial';
}

function emailOf(text: string, words: readonly string[], lists: Lists): EntityProgress {
  const at = words.findIndex((word) => lists.at.has(word));
  const behind = text.includes('@') ? text.slice(text.indexOf('@')) : undefined;
  const hasEnd = (tail: readonly string[]) =>
    tail.some((word, i) => word.includes('.') || (lists.dot.has(word) && i < tail.length - 1));
  if (behind !== undefined ? /\.\p{L}{2,}/u.test(behind) : at >= 0 && hasEnd(words.slice(at + 1))) {
    return 'complete';
  }
  const hasPart = at >= 0 || behind !== undefined || lists.dot.isIn(words);
  return hasPart || words.filter((word) => LETTERS.test(word)).length > 1 ? 'partial' : 'missing';
}

/** Day, month and year. The year is one number of four digits or two spoken numbers. */
function birthDateOf(words: readonly string[], lists: Lists): EntityProgress {
  const isPart = (word: string) => isNumber(word, lists) || /^\p{Nd}/u.test(word);
  const isDay = (word: string) => lists.ordinals.has(word) || lists.months.has(word);
  const parts = words.filter((word) => isPart(word) || isDay(word)).length;
  const hasYear = words.some((word) => YEAR.test(word));
  if (hasYear) return parts > 1 ? 'complete' : 'plausible';
  const hasSpokenYear = words.length > 2 && words.slice(-2).every(isPart);
  if (hasSpokenYear && parts > 2) return 'complete';
  return parts > 0 ? 'partial' : 'missing';
}

function byCount(count: number, minPartial: number, minPlausible: number): EntityProgress {
  if (count >= minPlausible) return 'plausible';
  return count >= minPartial ? 'partial' : 'missing';
}

function digitsIn(word: string, lists: Lists): number {
  const digits = word.match(DIGIT)?.length ?? 0;
  if (digits > 0) return digits;
  return lists.numbers.has(word) ? 1 : 0;
}

function isNumber(word: string, lists: Lists): boolean {
  return digitsIn(word, lists) > 0;
}

function listsFor(language: string): Lists | undefined {
  if (!isLanguage(language)) return undefined;
  let lists = listCache.get(language);
  if (!lists) {
    const words = TURN_WORDS[language];
    const list = (entries: string) => new PhraseMatcher(entries, language);
    lists = {
      incompleteEndings: list(words.incompleteEndings),
      completeEndings: list(words.completeEndings),
      fillers: list(words.fillers),
      numbers: list(words.numbers),
      ordinals: list(words.ordinals),
      at: list(words.at),
      dot: list(words.dot),
      questions: KINDS.map((kind) => [kind, list(words.questions[kind])] as const),
      months: list(monthsOf(language)),
    };
    listCache.set(language, lists);
  }
  return lists;
}

/** Month names in the form used in dates, such as Polish "maja". */
function monthsOf(language: string): string {
  const format = new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  const names = Array.from({ length: 12 }, (_, month) => {
    const parts = format.formatToParts(new Date(Date.UTC(2026, month, 1)));
    return parts.find(({ type }) => type === 'month')?.value ?? '';
  });
  return names.join(' ').trim();
}
