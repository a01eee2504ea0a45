import { AlignedText, type TextEdit } from '../aligned-text.js';

const ONLY_BASIC = /^[\0-\u02ff]*$/;
const MARK = /^\p{M}/u;
/** Lower code points do not combine with the character before them. */
const FIRST_JOINING = 0x300;

/** Converts a text to the composed form of Unicode (NFC). */
export function toNfc(text: string): AlignedText {
  const aligned = AlignedText.of(text);
  if (ONLY_BASIC.test(text) || text === text.normalize('NFC')) return aligned;
  const edits: TextEdit[] = [];
  for (const { start, end } of clusters(text)) {
    const written = text.slice(start, end);
    const normal = written.normalize('NFC');
    if (normal !== written) edits.push({ text: normal, start, end });
  }
  return aligned.replace(edits);
}

/** Returns the runs of characters that may compose, such as a letter with its marks, or jamo. */
function* clusters(text: string): Generator<{ start: number; end: number }> {
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at)!);
    if (at > start && !joins(text.slice(start, at), character)) {
      yield { start, end: at };
      start = at;
    }
    at += character.length;
  }
  if (start < text.length) yield { start, end: text.length };
}

function joins(before: string, character: string): boolean {
  if (character.charCodeAt(0) < FIRST_JOINING) return false;
  if (MARK.test(character)) return true;
  const apart = before.normalize('NFC') + character.normalize('NFC');
  return (before + character).normalize('NFC') !== apart;
}
