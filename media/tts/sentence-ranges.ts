/** A sentence and its half-open range of UTF-16 indexes in the whole text. */
export interface SentenceRange {
  readonly text: string;
  readonly textStart: number;
  readonly textEnd: number;
}

/** An end: marks, closing quotes, white space, and something that may begin a sentence. */
const END = /[.!?…]+["'”’)\]]*\s+(?=["'“‘([]*[\p{Lu}\p{Lt}\p{Lo}\p{N}])|\n\s*\n\s*/gu;
/** What a full stop follows without ending a sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|No|Nr|Sra?|Dña|Mme|Hr|Fr)\.\s+$/u;
const OPEN_SPELLING = /\[SPELL:[^\]]*$/;

/** The sentences of a text, without the white space around them; none of a blank one. */
export function sentenceRanges(text: string): SentenceRange[] {
  const ranges: SentenceRange[] = [];
  let start = 0;
  const add = (end: number) => {
    const piece = text.slice(start, end);
    const trimmed = piece.trim();
    const textStart = start + piece.indexOf(trimmed);
    if (trimmed !== '') {
      ranges.push({ text: trimmed, textStart, textEnd: textStart + trimmed.length });
    }
    start = end;
  };
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    // Only the nearest text can hold an abbreviation or an open bracket: the search stays linear.
    const before = text.slice(Math.max(start, end - 60), end);
    if (!ABBREVIATION.test(before) && !OPEN_SPELLING.test(before)) add(end);
  }
  add(text.length);
  return ranges;
}
