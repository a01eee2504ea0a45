import type { PronunciationRule } from '../../../../media/text/dictionary/pronunciation-rule.js';

/** A direct implementation of the matching rules, without optimisations. */
export function replaceSlowly(text: string, rules: readonly PronunciationRule[]): string {
  const normal = text.normalize('NFC');
  let said = '';
  for (let at = 0; at < normal.length; ) {
    const spelling = /^\[SPELL:[^\]\n]{0,200}\]/i.exec(normal.slice(at));
    if (spelling) {
      said += spelling[0];
      at += spelling[0].length;
      continue;
    }
    let best: { end: number; rule: PronunciationRule } | undefined;
    for (const rule of rules) {
      const end = matchEnd(normal, at, rule);
      if (end !== undefined && (!best || end > best.end)) best = { end, rule };
    }
    if (best) {
      said += best.rule.replacement;
      at = best.end;
    } else {
      const character = String.fromCodePoint(normal.codePointAt(at)!);
      said += character;
      at += character.length;
    }
  }
  return said;
}

/** The end of the rule's match at `start`. */
function matchEnd(text: string, start: number, rule: PronunciationRule): number | undefined {
  const word = [...rule.word.normalize('NFC').trim()];
  if (isWord(word[0]!) && isWord(lastCharacter(text.slice(0, start)))) return undefined;
  if (/\s/.test(text[start]!)) return undefined;
  // Positions inside of a character or of whitespace are no ends; the first match is used.
  for (let end = start + 1; end <= text.length; end++) {
    const part = text.slice(start, end);
    if (/\p{Surrogate}$/u.test(part) || /\[SPELL:[^\]\n]{0,200}\]/i.test(part)) continue;
    if (!isSame(part, word.join(''), rule.caseSensitive)) continue;
    const next = String.fromCodePoint(text.codePointAt(end) ?? 0x20);
    return isWord(word.at(-1)!) && isWord(next) ? undefined : end;
  }
  return undefined;
}

function isSame(part: string, word: string, caseSensitive: boolean): boolean {
  const plain = (phrase: string) => phrase.replace(/\s+/g, ' ');
  if (caseSensitive) return plain(part) === plain(word);
  const fold = (phrase: string) =>
    [...plain(phrase)]
      .flatMap((c) =>
        c === 'ı' ? c : [...c.toLowerCase().toUpperCase()].map((d) => d.toLowerCase()),
      )
      .join('');
  return fold(part) === fold(word);
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}]$/u.test(character);
}

function lastCharacter(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ' ';
}
