import { isLanguage, type Language } from '../../media/languages.js';
import { wordsOf } from '../../media/text/words.js';
import { PhraseMatcher } from './phrase-matcher.js';
import { TURN_WORDS } from './word-lists/registry.js';
import type { EntityKind } from './word-lists/turn-words.js';

/** Cues from a turn's words on whether it is over. */
export interface EndpointingCues {
  /** `thinks`: ends with a filler; `hangs`: with a word that another one must follow; `open`: with a comma or a dash. */
  readonly ending: 'whole' | 'open' | 'hangs' | 'thinks';
  /** Progress of something dictated in parts, such as a number. */
  readonly entity: EntityProgress | undefined;
}

export type EntityProgress =
  /** Expected, and no part of it is there. */
  | 'awaited'
  /** More parts are expected. */
  | 'begun'
  /** It may be complete. */
  | 'enough'
  /** No further part is possible. */
  | 'complete';

interface Lists {
  readonly hanging: PhraseMatcher;
  readonly whole: PhraseMatcher;
  readonly fillers: PhraseMatcher;
  readonly numbers: PhraseMatcher;
  readonly ordinals: PhraseMatcher;
  readonly at: PhraseMatcher;
  readonly dot: PhraseMatcher;
  readonly asks: readonly (readonly [EntityKind, PhraseMatcher])[];
  readonly months: PhraseMatcher;
}

const KINDS: readonly EntityKind[] = ['email', 'spelling', 'birth', 'digits', 'date'];
const OPEN_END = /[,;:،、–—-]\s*$/u;
/** A time of day is not a dictated number. */
const TIME_AT_END = /\p{Nd}{1,2}[:.h]\p{Nd}{2}\P{L}*$/u;
const LETTERS = /^\p{L}(?:\.\p{L})*$/u;
const DIGITS = /^\p{Nd}+$/u;
const DIGIT = /\p{Nd}/gu;
const YEAR = /^(?:18|19|20)\d\d$/;
/** Digits of a telephone number (ITU-T E.164); other numbers are shorter. */
const WHOLE_NUMBER = 10;
const LIKELY_NUMBER = 5;
const ASKED_NUMBER = 7;
/** Letters of a spelt name. */
const LIKELY_NAME = 4;
/** A comma after an answer of at most this many words has no meaning. */
const SHORT_ANSWER = 3;
const listsOf = new Map<Language, Lists>();

/** The entity that the agent's text asks for last, if it is usually dictated in parts. */
export function askedEntity(text: string, language: string): EntityKind | undefined {
  const sentences = text.split(/(?<=[.!?…。？！])\s+/u).filter(Boolean);
  const lists = cuesOf(language);
  for (const sentence of sentences.slice(-2).reverse()) {
    const words = wordsOf(sentence, language);
    const expected = lists?.asks.find(([, list]) => list.isIn(words));
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
  const lists = cuesOf(language);
  // Speech recognition puts commas after very short answers, too.
  const open = words.length > SHORT_ANSWER && OPEN_END.test(text) ? 'open' : 'whole';
  if (!lists) return { ending: open, entity: undefined };
  return { ending: endingOf(words, lists) ?? open, entity: entityOf(text, words, lists, expected) };
}

function endingOf(words: readonly string[], lists: Lists): EndpointingCues['ending'] | undefined {
  if (words.length > 1 && lists.fillers.endOf(words) > 0) return 'thinks';
  if (lists.whole.endOf(words) > 0) return undefined;
  return words.length > 1 && lists.hanging.endOf(words) > 0 ? 'hangs' : undefined;
}

function entityOf(
  text: string,
  words: readonly string[],
  lists: Lists,
  expected: EntityKind | undefined,
): EntityProgress | undefined {
  if (expected === 'email') return emailOf(text, words, lists);
  if (expected === 'birth') return birthOf(words, lists);
  if (expected === 'date')
    return words.some((word) => isNumber(word, lists)) ? 'enough' : 'awaited';
  const spelt = words.filter((word) => LETTERS.test(word)).length;
  if (expected === 'spelling') {
    const inOne = /\p{Lu}{2,}/u.exec(text)?.[0].length ?? 0;
    return byCount(Math.max(spelt, inOne), 2, LIKELY_NAME);
  }
  const digits = words.reduce((sum, word) => sum + digitsIn(word, lists), 0);
  if (expected === 'digits') {
    if (digits >= WHOLE_NUMBER) return 'complete';
    return byCount(digits, 1, ASKED_NUMBER);
  }
  return readOut(text, words, lists);
}

/** A series of digits or letters at the end of a turn, without a question for it. */
function readOut(text: string, words: readonly string[], lists: Lists): EntityProgress | undefined {
  if (TIME_AT_END.test(text)) return undefined;
  let from = words.length;
  let count = 0;
  let hasLetters = false;
  while (from > 0) {
    const word = words[from - 1]!;
    // In "o nove um dois", "o" is an article and no letter.
    const isLetter: boolean = LETTERS.test(word) && (hasLetters || !lists.hanging.has(word));
    const here = digitsIn(word, lists) || (isLetter ? 1 : 0);
    if (here === 0) break;
    hasLetters ||= isLetter;
    count += here;
    from--;
  }
  const parts = words.length - from;
  const last = words.at(-1) ?? '';
  if (parts === 1) return DIGITS.test(last) && count > 2 && !YEAR.test(last) ? 'enough' : undefined;
  if (parts === 0) return undefined;
  if (count >= WHOLE_NUMBER) return 'complete';
  return count >= LIKELY_NUMBER ? 'enough' : 'begun';
}

function emailOf(text: string, words: readonly string[], lists: Lists): EntityProgress {
  const at = words.findIndex((word) => lists.at.has(word));
  const behind = text.includes('@') ? text.slice(text.indexOf('@')) : undefined;
  const hasEnd = (tail: readonly string[]) =>
    tail.some((word, i) => word.includes('.') || (lists.dot.has(word) && i < tail.length - 1));
  if (behind !== undefined ? /\.\p{L}{2,}/u.test(behind) : at >= 0 && hasEnd(words.slice(at + 1))) {
    return 'complete';
  }
  const isBegun = at >= 0 || behind !== undefined || lists.dot.isIn(words);
  return isBegun || words.filter((word) => LETTERS.test(word)).length > 1 ? 'begun' : 'awaited';
}

/** Day, month and year. The year is one number of four digits or two spoken numbers. */
function birthOf(words: readonly string[], lists: Lists): EntityProgress {
  const isPart = (word: string) => isNumber(word, lists) || /^\p{Nd}/u.test(word);
  const isDay = (word: string) => lists.ordinals.has(word) || lists.months.has(word);
  const parts = words.filter((word) => isPart(word) || isDay(word)).length;
  const hasYear = words.some((word) => YEAR.test(word));
  if (hasYear) return parts > 1 ? 'complete' : 'enough';
  const isSaid = words.length > 2 && words.slice(-2).every(isPart);
  if (isSaid && parts > 2) return 'complete';
  return parts > 0 ? 'begun' : 'awaited';
}

function byCount(count: number, begun: number, enough: number): EntityProgress {
  if (count >= enough) return 'enough';
  return count >= begun ? 'begun' : 'awaited';
}

function digitsIn(word: string, lists: Lists): number {
  const digits = word.match(DIGIT)?.length ?? 0;
  if (digits > 0) return digits;
  return lists.numbers.has(word) ? 1 : 0;
}

function isNumber(word: string, lists: Lists): boolean {
  return digitsIn(word, lists) > 0;
}

function cuesOf(language: string): Lists | undefined {
  if (!isLanguage(language)) return undefined;
  let lists = listsOf.get(language);
  if (!lists) {
    const words = TURN_WORDS[language];
    const list = (entries: string) => new PhraseMatcher(entries, language);
    lists = {
      hanging: list(words.hanging),
      whole: list(words.whole),
      fillers: list(words.fillers),
      numbers: list(words.numbers),
      ordinals: list(words.ordinals),
      at: list(words.at),
      dot: list(words.dot),
      asks: KINDS.map((kind) => [kind, list(words.asks[kind])] as const),
      months: list(monthsOf(language)),
    };
    listsOf.set(language, lists);
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
