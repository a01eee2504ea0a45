import { isLanguage, type Language } from '../../media/languages.js';
import { wordsOf } from '../../media/text/words.js';
import { TURN_LEXICONS } from './lexicons/registry.js';
import type { EntityKind } from './lexicons/turn-lexicon.js';
import { PhraseMatcher } from './phrase-matcher.js';

/** What the words of a turn say about its end. */
export interface EndpointingCues {
  /** `thinks` on a filler, `hangs` on a word that wants another, `open` on a comma or a dash. */
  readonly ending: 'whole' | 'open' | 'hangs' | 'thinks';
  /** Something said in pieces: how much of it seems to be there. */
  readonly entity: EntityProgress | undefined;
}

export type EntityProgress =
  /** It was asked for, and nothing of it has come. */
  | 'awaited'
  /** Parts have come; more are to be expected. */
  | 'begun'
  /** It may be all, or not. */
  | 'enough'
  /** Nothing more belongs to it. */
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
/** A time of day is no number that is read out. */
const TIME_AT_END = /\p{Nd}{1,2}[:.h]\p{Nd}{2}\P{L}*$/u;
const LETTERS = /^\p{L}(?:\.\p{L})*$/u;
const DIGITS = /^\p{Nd}+$/u;
const DIGIT = /\p{Nd}/gu;
const YEAR = /^(?:18|19|20)\d\d$/;
/** Telephone numbers have so many digits; fewer may still be all of another number. Source: ITU-T E.164. */
const WHOLE_NUMBER = 10;
const LIKELY_NUMBER = 5;
const ASKED_NUMBER = 7;
/** Letters that make a name. */
const LIKELY_NAME = 4;
/** Words of an answer whose comma means nothing. */
const SHORT_ANSWER = 3;
const listsOf = new Map<Language, Lists>();

/** What a text that the agent has said asks for last, if it is said in pieces. */
export function askedEntity(text: string, language: string): EntityKind | undefined {
  const sentences = text.split(/(?<=[.!?…。？！])\s+/u).filter(Boolean);
  const lists = cuesOf(language);
  for (const sentence of sentences.slice(-2).reverse()) {
    const words = wordsOf(sentence, language);
    const asked = lists?.asks.find(([, list]) => list.isIn(words));
    if (asked) return asked[0];
  }
  return undefined;
}

/** Reads the end of a turn; languages without a table have no cues but the marks. */
export function endpointingCuesOf(
  text: string,
  language: string,
  asked: EntityKind | undefined,
): EndpointingCues {
  const words = wordsOf(text, language).flatMap((word) =>
    LETTERS.test(word) ? word.split('.') : [word],
  );
  const lists = cuesOf(language);
  // Recognisers put commas behind the shortest answers, too.
  const open = words.length > SHORT_ANSWER && OPEN_END.test(text) ? 'open' : 'whole';
  if (!lists) return { ending: open, entity: undefined };
  return { ending: endingOf(words, lists) ?? open, entity: entityOf(text, words, lists, asked) };
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
  asked: EntityKind | undefined,
): EntityProgress | undefined {
  if (asked === 'email') return emailOf(text, words, lists);
  if (asked === 'birth') return birthOf(words, lists);
  if (asked === 'date') return words.some((word) => isNumber(word, lists)) ? 'enough' : 'awaited';
  const spelt = words.filter((word) => LETTERS.test(word)).length;
  if (asked === 'spelling') {
    const inOne = /\p{Lu}{2,}/u.exec(text)?.[0].length ?? 0;
    return byCount(Math.max(spelt, inOne), 2, LIKELY_NAME);
  }
  const digits = words.reduce((sum, word) => sum + digitsIn(word, lists), 0);
  if (asked === 'digits') {
    if (digits >= WHOLE_NUMBER) return 'complete';
    return byCount(digits, 1, ASKED_NUMBER);
  }
  return readOut(text, words, lists);
}

/** A row of digits or letters at the end of a turn that nobody asked for. */
function readOut(text: string, words: readonly string[], lists: Lists): EntityProgress | undefined {
  if (TIME_AT_END.test(text)) return undefined;
  let from = words.length;
  let count = 0;
  let hasLetters = false;
  while (from > 0) {
    const word = words[from - 1]!;
    // "o nove um dois": the article before a number is no letter of it.
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

/** Day, month and year; the year is one number of four digits or two that are said. */
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
    const words = TURN_LEXICONS[language];
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

/** In the form that stands in a date: of May is "maja" in Polish. */
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
