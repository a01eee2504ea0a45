/** A passage of a text and its start (UTF-16 index). */
export interface TextPassage {
  readonly text: string;
  readonly start: number;
}

/** Sentences are rarely longer; longer texts are synthesised part by part while they are spoken. */
export const MAX_PASSAGE_LENGTH = 600;
/** No split before this length, so that no passage gets very short. */
const MIN_PASSAGE_LENGTH = 200;
const AFTER_CLAUSE = /[.!?…,;:—]["”’)\]]*\s(?=\S)/gu;
const SPACE = /\s(?=\S)/gu;
const SPELLING = '[SPELL:';

/**
 * Splits an overlong text after a clause, otherwise after a word, otherwise between two characters; if
 * possible not inside a `[SPELL:…]`. A text of normal length is not split.
 */
export function splitText(text: string): TextPassage[] {
  const passages: TextPassage[] = [];
  for (let start = 0; start < text.length; ) {
    const length = passageLength(text.slice(start, start + MAX_PASSAGE_LENGTH + 1));
    passages.push({ text: text.slice(start, start + length), start });
    start += length;
  }
  return passages;
}

/** @param ahead - the text to split, at most one unit longer than a passage may be */
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
