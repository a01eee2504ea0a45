/** A rewriting rule of a text normaliser: replaces each match with its spoken form. */
export interface SpokenForm {
  /** Must have the flag `g` and take linear time: no adjacent unbounded repeats. */
  readonly pattern: RegExp;
  /** A substring of all matches. A text without it is not searched. */
  readonly needs?: string;
  /** Returns the spoken form; `undefined` leaves the match unchanged. */
  say(match: RegExpExecArray): string | undefined;
}

/** Half-open range of UTF-16 indexes in the original text. */
export interface TextRange {
  readonly textStart: number;
  readonly textEnd: number;
}

/** A replacement of the half-open range `start`…`end` (UTF-16 indexes) with `text`. */
export interface TextEdit {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A word, or the comma after one. */
const WORD = /,(?=\s|$)|(?:[^\s,]|,(?!\s|$))+/g;

/**
 * A text that is rewritten in steps. It stores the range of the original text for each of its characters.
 * Instances do not change.
 */
export class AlignedText {
  readonly text: string;
  readonly #starts: Int32Array | undefined;
  readonly #ends: Int32Array | undefined;

  private constructor(text: string, starts?: Int32Array, ends?: Int32Array) {
    this.text = text;
    this.#starts = starts;
    this.#ends = ends;
  }

  /** Returns the text before any rewriting. */
  static of(original: string): AlignedText {
    return new AlignedText(original);
  }

  /** Applies one rule from left to right. Replacements are not searched again. */
  rewrite(rule: SpokenForm): AlignedText {
    const { pattern, needs } = rule;
    if (needs !== undefined && !this.text.includes(needs)) return this;
    const edits: TextEdit[] = [];
    pattern.lastIndex = 0;
    for (let match = pattern.exec(this.text); match; match = pattern.exec(this.text)) {
      const [found] = match;
      const said = rule.say(match);
      if (said !== undefined && said !== found) {
        edits.push({ text: said, start: match.index, end: match.index + found.length });
      }
      if (found === '') pattern.lastIndex++;
    }
    return this.replace(edits);
  }

  /** Applies the rules one after the other. */
  rewriteAll(rules: readonly SpokenForm[]): AlignedText {
    return rules.reduce((text: AlignedText, rule) => text.rewrite(rule), this);
  }

  /** Returns the range of the original text for the half-open range `start`…`end` of this text. */
  origin(start: number, end: number): TextRange {
    if (!this.#starts || !this.#ends || start >= end) return { textStart: start, textEnd: end };
    let textStart = Number.POSITIVE_INFINITY;
    let textEnd = 0;
    for (let i = start; i < end; i++) {
      textStart = Math.min(textStart, this.#starts[i]!);
      textEnd = Math.max(textEnd, this.#ends[i]!);
    }
    return { textStart, textEnd };
  }

  /**
   * Returns the range of this text for a range of the original text; undefined if nothing of it remains.
   * @param from - start of the search in this text; for successive ranges, the end of the previous result.
   *   Default: 0
   */
  placeOf({ textStart, textEnd }: TextRange, from = 0): TextRange | undefined {
    const starts = this.#starts;
    const ends = this.#ends;
    if (!starts || !ends) return { textStart, textEnd };
    const isIn = (index: number) => starts[index]! >= textStart && ends[index]! <= textEnd;
    let start = from;
    while (start < starts.length && starts[start]! < textEnd && !isIn(start)) start++;
    let end = start;
    while (end < starts.length && isIn(end)) end++;
    return end > start ? { textStart: start, textEnd: end } : undefined;
  }

  /** Applies replacements. @param edits - in order, without overlaps */
  replace(edits: readonly TextEdit[]): AlignedText {
    if (edits.length === 0) return this;
    const grown = edits.reduce((sum, edit) => sum + edit.text.length - (edit.end - edit.start), 0);
    const starts = new Int32Array(this.text.length + grown);
    const ends = new Int32Array(starts.length);
    const parts: string[] = [];
    let read = 0;
    let written = 0;
    const keep = (until: number) => {
      parts.push(this.text.slice(read, until));
      for (; read < until; read++, written++) {
        starts[written] = this.#starts ? this.#starts[read]! : read;
        ends[written] = this.#ends ? this.#ends[read]! : read + 1;
      }
    };
    for (const edit of edits) {
      keep(edit.start);
      parts.push(edit.text);
      for (const piece of align(this.text.slice(edit.start, edit.end), edit.text)) {
        const origin = this.origin(edit.start + piece.start, edit.start + piece.end);
        const until = written + piece.text.length;
        starts.fill(origin.textStart, written, until);
        ends.fill(origin.textEnd, written, until);
        written = until;
      }
      read = edit.end;
    }
    keep(this.text.length);
    return new AlignedText(parts.join(''), starts, ends);
  }
}

/**
 * Aligns a spoken form with the written text. Equal words at the start and at the end of both are aligned
 * with each other. The words between are aligned one by one if their number is equal. Otherwise each of them
 * is aligned with all.
 */
function align(written: string, said: string): TextEdit[] {
  const from = [...written.matchAll(WORD)];
  const to = [...said.matchAll(WORD)];
  const whole: TextEdit = { text: said, start: 0, end: written.length };
  if (from.length === 0 || to.length === 0) return [whole];
  const same = (a: number, b: number) => from[a]?.[0] === to[b]?.[0];
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && same(head, head)) head++;
  let tail = 0;
  while (tail < shorter - head && same(from.length - 1 - tail, to.length - 1 - tail)) tail++;
  const paired = from.length === to.length;
  const first = from[head]?.index ?? 0;
  const lastMatch = from[from.length - 1 - tail];
  const last = lastMatch ? lastMatch.index + lastMatch[0].length : written.length;
  const pieces: TextEdit[] = [];
  for (const [i, word] of to.entries()) {
    const next = to[i + 1]?.index ?? said.length;
    const text = said.slice(i === 0 ? 0 : word.index, next);
    const shift = i >= to.length - tail ? from.length - to.length : 0;
    const own =
      paired || i < head || shift !== 0 || i >= to.length - tail ? from[i + shift] : undefined;
    pieces.push(
      own
        ? { text, start: own.index, end: own.index + own[0].length }
        : { text, start: Math.min(first, last), end: Math.max(first, last) },
    );
  }
  return pieces;
}
