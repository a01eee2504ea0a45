/** A stretch of a text, and where it begins in it (UTF-16 units). */
export interface TextSpan {
  readonly text: string;
  readonly start: number;
}

/** A sentence is rarely longer than this; what is longer is read bit by bit, as it is spoken. */
export const MAX_PASSAGE_LENGTH = 600;
/** Cuts are looked for in the last part of a passage only, so that none gets very short. */
const MIN_PASSAGE_LENGTH = 200;
const AFTER_CLAUSE = /[.!?…,;:—]["”’)\]]*\s(?=\S)/gu;
const SPACE = /\s(?=\S)/gu;
const SPELLING = '[SPELL:';

/**
 * Cuts an overlong text after a clause, else after a word, else anywhere but inside a character; not
 * inside a `[SPELL:…]` if it can be helped. One of usual length stays whole.
 */
export function splitText(text: string): TextSpan[] {
  const passages: TextSpan[] = [];
  for (let start = 0; start < text.length; ) {
    const length = passageLength(text.slice(start, start + MAX_PASSAGE_LENGTH + 1));
    passages.push({ text: text.slice(start, start + length), start });
    start += length;
  }
  return passages;
}

/** @param ahead one unit more than a passage may have, if the text goes on. */
function passageLength(ahead: string): number {
  if (ahead.length <= MAX_PASSAGE_LENGTH) return ahead.length;
  const spelling = ahead.lastIndexOf(SPELLING);
  const isOpen = spelling > 0 && !ahead.includes(']', spelling);
  const usable = isOpen ? spelling : MAX_PASSAGE_LENGTH;
  for (const pattern of [AFTER_CLAUSE, SPACE]) {
    let cut = 0;
    for (const match of ahead.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (end <= usable) cut = end;
    }
    if (cut >= MIN_PASSAGE_LENGTH) return cut;
  }
  if (isOpen) return spelling;
  const isInsidePair = /[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(ahead);
  return isInsidePair ? MAX_PASSAGE_LENGTH - 1 : MAX_PASSAGE_LENGTH;
}
