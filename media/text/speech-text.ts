import { isLanguage } from '../languages.js';
import { addresses, type SignNames } from './addresses.js';
import { AlignedText, type SpokenForm } from './aligned-text.js';
import { MARKUP } from './markup.js';
import { CLEANING, SPACING } from './sanitise.js';
import { TEXT_WORDS, textWordsOf } from './word-lists/registry.js';

/** Returns the names of the signs in addresses. @param language - ISO 639-1; others get the English names */
export function signNamesOf(language: string): SignNames {
  const { signs } = textWordsOf(language) ?? TEXT_WORDS.en;
  return new Map(Object.entries(signs));
}

const rulesByLanguage = new Map<string, readonly SpokenForm[]>();

function rulesOf(language: string): readonly SpokenForm[] {
  const known = rulesByLanguage.get(language);
  if (known) return known;
  const spell = (letters: string) => Array.from(letters).join(' ');
  const rules = [
    ...CLEANING,
    ...[...MARKUP, ...addresses({ signs: signNamesOf(language), spell })].map(outsideSpelling),
    ...SPACING,
  ];
  if (isLanguage(language)) rulesByLanguage.set(language, rules);
  return rules;
}

/** Returns the rule without its effect inside `[SPELL:…]`. */
function outsideSpelling(rule: SpokenForm): SpokenForm {
  return {
    ...rule,
    say: (match) => {
      const opening = match.input.lastIndexOf('[SPELL:', match.index);
      const isInside = opening >= 0 && match.input.indexOf(']', opening) >= match.index;
      return isInside ? undefined : rule.say(match);
    },
  };
}

/**
 * Rewrites a part of a written reply for speech: removes Markdown, HTML and emoji, and writes addresses in
 * words. `[SPELL:…]`, numbers and abbreviations are not changed; the front end of the voice expands them.
 * @param language - ISO 639-1
 */
export function speechTextOf(piece: string | AlignedText, language: string): AlignedText {
  const written = typeof piece === 'string' ? AlignedText.of(piece) : piece;
  return written.rewriteAll(rulesOf(language));
}

/**
 * Removes fenced code blocks from a reply that arrives in tokens. It delays the first characters of a line
 * as long as they may be a fence.
 */
export class CodeBlockFilter {
  /** The start of a line that may be a fence and was not returned. */
  #held = '';
  #isLineStart = true;
  #fence: string | undefined;

  /** @returns the text outside of code blocks that the token completes */
  push(token: string): string {
    let kept = '';
    for (const character of token) kept += this.#next(character);
    return kept;
  }

  /** Ends the reply. @returns the remaining text */
  flush(): string {
    const rest = this.#fence === undefined ? this.#held : '';
    this.#held = '';
    this.#isLineStart = true;
    this.#fence = undefined;
    return rest;
  }

  #next(character: string): string {
    if (character === '\n') return this.#endLine();
    if (!this.#isLineStart) return this.#fence === undefined ? character : '';
    this.#held += character;
    if (/^ {0,3}(?:`{0,2}|~{0,2})$/.test(this.#held)) return '';
    if (this.#fence === undefined) return this.#beginLine();
    this.#isLineStart = this.#isClosing(this.#held);
    if (!this.#isLineStart) this.#held = '';
    return '';
  }

  /** Decides whether the first characters of a line open a fence. Returns them if they are text. */
  #beginLine(): string {
    const line = this.#held;
    this.#held = '';
    this.#isLineStart = false;
    const fence = /^ {0,3}(```|~~~)$/.exec(line)?.[1];
    if (fence === undefined) return line;
    this.#fence = fence;
    return '';
  }

  #endLine(): string {
    const line = this.#held;
    this.#held = '';
    const wasLineStart = this.#isLineStart;
    this.#isLineStart = true;
    if (this.#fence === undefined) return `${line}\n`;
    if (wasLineStart && this.#isClosing(line) && line.includes(this.#fence))
      this.#fence = undefined;
    return '';
  }

  /** Whether the start of a line may be a closing fence. */
  #isClosing(line: string): boolean {
    return line.length < 40 && /^ {0,3}(?:`*|~*)\s*$/.test(line);
  }
}
