import { type Abbreviations, abbreviationsOf } from './abbreviations.js';

/** The meaning of a punctuation mark. `wait`: it depends on text that has not arrived yet. */
type Verdict =
  | { readonly type: 'none' }
  | { readonly type: 'wait' }
  | { readonly type: 'skip'; readonly end: number }
  | { readonly type: 'sentence'; readonly end: number }
  | { readonly type: 'clause'; readonly end: number };

/** The end of a sentence or clause, or `none`. `resumeAt` is the index at which the next search starts. */
export type Boundary =
  | { readonly type: 'none'; readonly resumeAt: number }
  | { readonly type: 'sentence' | 'clause'; readonly end: number; readonly resumeAt: number };

const NONE: Verdict = { type: 'none' };
const WAIT: Verdict = { type: 'wait' };

/** Marks that end a sentence without a space after them. */
const FULL_WIDTH_END = /[。！？｡।॥؟۔።។။]/;
const ANY_END = /[.!?…。！？｡।॥؟۔።។။]/;
const CLAUSE = /[,;:،؛—–]/;
const FULL_WIDTH_CLAUSE = /[，、；：]/;
const CLOSER = /["'”’»)\]}」』）】》*_`]/;
/** Letters of scripts without spaces between sentences. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;
const SPACE = /\s/;
const OPENER = /["'“‘«(¿¡[„‚「『（*_`]/;
const LOWER = /\p{Ll}/u;
const DIGIT = /\p{Nd}/u;
const INITIAL = /^(?:\p{Lu}|(?:\p{L}\.)+\p{L})$/u;
const SHORT_NUMBER = /^\d{1,2}$/;
/** German words and marks before an ordinal. */
const BEFORE_ORDINAL =
  /(?:[,;:(–-]\s?|(?:^|[^\p{L}])(?:am|dem|den|des|der|die|das|im|vom|zum|zur|beim|bis|ab|seit|nach|und|oder|[Jj]ede[mnrs]?|[Ee]in(?:e[mnrs]?)?|[Mm]ein\p{L}{0,2}|[Ii]hr\p{L}{0,2}|[Uu]nser\p{L}{0,2}|[Dd]iese[mnrs]?|\p{Lu}\p{Ll}+tag|Mittwoch|Anfang|Ende|Mitte|Am|Der|Die|Das|Im|Vom|Zum|Zur|Ab|Seit|Bis) )$/u;
const MARKS = new RegExp(`${ANY_END.source}|${CLAUSE.source}|${FULL_WIDTH_CLAUSE.source}|[\\n\\[]`);

/** Maximum number of UTF-16 units of a run of marks or spaces, or of a word, that are examined. */
const MAX_LOOKAHEAD = 64;
const MAX_BRACKET_LENGTH = 240;
/** UTF-16 units. After a longer word, a full stop and a space end the sentence. */
const MAX_ABBREVIATION_LENGTH = 4;

/**
 * Finds the ends of sentences and clauses. The result depends on the text only, not on the parts in which it
 * arrives: the search stops at a mark whose meaning depends on missing text.
 */
export class SentenceBoundary {
  readonly #stops: Abbreviations;

  /** @param language - ISO 639-1; decides which full stops belong to abbreviations */
  constructor(language: string) {
    this.#stops = abbreviationsOf(language);
  }

  /**
   * Returns the next end of a sentence or clause. All positions are UTF-16 indexes.
   * @param from - start of the search
   * @param isWhole - the text is complete; if false, the search may stop at an undecided mark
   * @param until - end of the search; the result may be after it. Default: the end of the text
   */
  next(text: string, from: number, isWhole: boolean, until = text.length): Boundary {
    let at = from;
    while (at < Math.min(until, text.length)) {
      const verdict = this.#judge(text, at, isWhole);
      if (verdict.type === 'wait') break;
      if (verdict.type === 'none') at++;
      else {
        at = Math.max(verdict.end, at + 1);
        if (verdict.type !== 'skip') return { ...verdict, resumeAt: at };
      }
    }
    return { type: 'none', resumeAt: at };
  }

  /** Judges the character at `at`. */
  #judge(text: string, at: number, isWhole: boolean): Verdict {
    const mark = text[at] ?? '';
    if (!MARKS.test(mark)) return NONE;
    const view = new View(text, isWhole);
    if (mark === '[') return bracket(text, at, isWhole);
    if (mark === '\n') return lineEnd(view, at);
    if (ANY_END.test(mark)) return this.#end(view, at);
    return clause(view, at);
  }

  #end(view: View, at: number): Verdict {
    const run = view.skip(at, ANY_END);
    const end = run === undefined ? undefined : view.skip(run, CLOSER);
    if (run === undefined || end === undefined) return WAIT;
    const mark = view.text[at]!;
    const next = view.text[end] ?? '';
    const sentence: Verdict = { type: 'sentence', end };
    if (next === '' || FULL_WIDTH_END.test(mark) || UNSPACED.test(next)) return sentence;
    if (!SPACE.test(next)) return { type: 'skip', end: run };
    const inner: Verdict = { type: 'skip', end };
    if (mark === '!' || mark === '?') return end > run ? view.unlessLower(end, sentence) : sentence;
    if (mark === '…' || run - at > 1) return view.unlessLower(end, sentence);
    return this.#fullStop(view, at, { sentence, inner });
  }

  /** Judges a single full stop before a space. */
  #fullStop(view: View, at: number, { sentence, inner }: Record<'sentence' | 'inner', Verdict>) {
    const word = wordBefore(view.text, at);
    const lower = word.toLowerCase();
    const parts = partsBefore(view.text, at);
    const more = this.#stops.parts.get(parts) ?? this.#stops.parts.get(lower);
    const goesOn = more ? view.goesOnWith(more, at + 1) : false;
    if (goesOn === undefined) return WAIT;
    if (goesOn || this.#stops.inside.has(lower) || this.#stops.inside.has(parts)) return inner;
    if (
      this.#stops.unnumbered.has(lower) &&
      !/\d ?$/.test(textBefore(view.text, at - word.length))
    ) {
      return inner;
    }
    if (this.#stops.insideEndings.some((ending) => lower.endsWith(ending))) return inner;
    if (this.#stops.beforeNumber.has(lower) && !INITIAL.test(word))
      return view.unless(DIGIT, at + 1, sentence);
    if (this.#stops.either.has(lower) || this.#stops.either.has(parts))
      return view.unlessLower(at + 1, sentence);
    if (INITIAL.test(word)) return inner;
    if (SHORT_NUMBER.test(word)) return this.#numbered(view, at - word.length, { sentence, inner });
    return word.length > MAX_ABBREVIATION_LENGTH ? sentence : view.unlessLower(at + 1, sentence);
  }

  /** Judges a full stop after a number of one or two digits that begins at `start`. */
  #numbered(view: View, start: number, { sentence, inner }: Record<'sentence' | 'inner', Verdict>) {
    const before = textBefore(view.text, start);
    if (/(?:^|\n)\s*$/.test(before) && start < MAX_LOOKAHEAD) return inner;
    const { ordinals } = this.#stops;
    if (ordinals === 'behind-article') return BEFORE_ORDINAL.test(before) ? inner : sentence;
    if (ordinals === 'none' || sentence.type !== 'sentence') return sentence;
    return view.unlessLower(sentence.end, sentence);
  }
}

/** A text that may still grow. */
class View {
  readonly text: string;
  readonly isWhole: boolean;

  constructor(text: string, isWhole: boolean) {
    this.text = text;
    this.isWhole = isWhole;
  }

  /** Returns the index after a run of characters of this kind; `undefined` if the run may continue. */
  skip(from: number, kind: RegExp): number | undefined {
    let at = from;
    while (at < this.text.length && at - from < MAX_LOOKAHEAD && kind.test(this.text[at]!)) at++;
    return at < this.text.length || this.isWhole ? at : undefined;
  }

  /** Whether one of the parts and a full stop follow; `undefined` if the text is too short to decide. */
  goesOnWith(parts: readonly string[], from: number): boolean | undefined {
    const start = this.skip(from, SPACE);
    if (start === undefined) return undefined;
    const rest = this.text.slice(start, start + MAX_ABBREVIATION_LENGTH + 1).toLowerCase();
    if (parts.some((part) => rest.startsWith(`${part}.`))) return true;
    const mayCome = !this.isWhole && parts.some((part) => `${part}.`.startsWith(rest));
    return mayCome ? undefined : false;
  }

  /** Returns the verdict, or `skip` if the next word is in lower case: then the sentence continues. */
  unlessLower(from: number, verdict: Verdict): Verdict {
    return this.unless(LOWER, from, verdict);
  }

  /** Returns the verdict, or `skip` if the next word begins with a character of this kind. */
  unless(kind: RegExp, from: number, verdict: Verdict): Verdict {
    const start = this.skip(from, SPACE);
    const word = start === undefined ? undefined : this.skip(start, OPENER);
    if (word === undefined) return WAIT;
    const next = this.text.codePointAt(word);
    const goesOn = next !== undefined && kind.test(String.fromCodePoint(next));
    return goesOn ? { type: 'skip', end: from } : verdict;
  }
}

/** Judges a line end. It ends a sentence, unless the next line starts in lower case. */
function lineEnd(view: View, at: number): Verdict {
  const next = view.skip(at, SPACE);
  if (next === undefined) return WAIT;
  const isParagraph = view.text.slice(at + 1, next).includes('\n');
  return isParagraph
    ? { type: 'sentence', end: at }
    : view.unlessLower(at, { type: 'sentence', end: at });
}

function clause(view: View, at: number): Verdict {
  const end = view.skip(at + 1, CLOSER);
  if (end === undefined) return WAIT;
  const next = view.text[end] ?? '';
  if (FULL_WIDTH_CLAUSE.test(view.text[at]!)) return { type: 'clause', end };
  return next === '' || SPACE.test(next) ? { type: 'clause', end } : NONE;
}

/** Judges an opening bracket. `[SPELL:…]`, `[text](address)` and other brackets in one line are not split. */
function bracket(text: string, at: number, isWhole: boolean): Verdict {
  const inside = text.slice(at, at + MAX_BRACKET_LENGTH);
  const close = inside.search(/[\]\n]/);
  if (close < 0) return isWhole || inside.length === MAX_BRACKET_LENGTH ? NONE : WAIT;
  if (inside[close] === '\n') return NONE;
  const behind = at + close + 1;
  if (behind === text.length && !isWhole) return WAIT;
  if (text[behind] !== '(') return { type: 'skip', end: behind };
  const address = text.slice(behind, behind + MAX_BRACKET_LENGTH);
  const end = address.search(/[)\s]/);
  if (end < 0) return isWhole || address.length === MAX_BRACKET_LENGTH ? NONE : WAIT;
  return { type: 'skip', end: behind + end + (address[end] === ')' ? 1 : 0) };
}

function textBefore(text: string, at: number): string {
  return text.slice(Math.max(0, at - MAX_LOOKAHEAD), at);
}

/** "i.d.r" for "i. d. R": short words with full stops and single spaces between them. */
function partsBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_LOOKAHEAD / 2), at);
  const parts = /(?:(?<![\p{L}\p{M}])\p{L}{1,3}\. ?){0,3}\p{L}{1,4}$/u.exec(before)?.[0] ?? '';
  return parts.replaceAll(' ', '').toLowerCase();
}

function wordBefore(text: string, at: number): string {
  const before = textBefore(text, at);
  return /[^\s"'“”‘’«»()[\]{}„‚*_`/]*$/.exec(before)?.[0] ?? '';
}
