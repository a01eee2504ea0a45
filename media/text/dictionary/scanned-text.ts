import { foldedCharacter, isWordCharacter } from './characters.js';

/** `[SPELL:…]` with the maximum length that the normalisers accept. */
const SPELLING = /\[SPELL:[^\]\n]{0,200}\]/gi;
/** Replaces each `[SPELL:…]`. No word contains it, because lone surrogates are rejected. */
const BARRIER = '\ud800';
const SPACE = /\s/;
/** ASCII words separated by single spaces: nearly all phrases. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/**
 * A text in its form for the search. Each run of white space is one space. A token is a character, a run of white
 * space or a `[SPELL:…]`; a match starts and ends between tokens.
 */
export interface View {
  readonly text: string;
  /** UTF-16 index at which each token begins; the last entry is the length of the text. */
  readonly units: readonly number[];
  /** Index of the token that begins at each UTF-16 index; −1 inside of tokens. */
  readonly tokens: Int32Array;
}

/** A text, prepared for the search of rules with and without case. */
export interface ScannedText {
  /** UTF-16 index in the scanned text at which each token begins; the last entry is the length of the text. */
  readonly starts: readonly number[];
  /** Whether each token is a letter, mark or digit. */
  readonly isWord: readonly boolean[];
  readonly exact: View;
  readonly folded: View;
}

/** Converts a phrase to its form for the search. */
export function keyOf(phrase: string, caseSensitive: boolean): string {
  if (PLAIN.test(phrase)) return caseSensitive ? phrase : phrase.toLowerCase();
  const plain = phrase.normalize('NFC').trim().replace(/\s+/g, ' ');
  return caseSensitive ? plain : Array.from(plain, foldedCharacter).join('');
}

/** Prepares a text for the search. @param text - in composed form (NFC) */
export function scanned(text: string): ScannedText {
  const starts: number[] = [];
  const isWord: boolean[] = [];
  const exact: string[] = [];
  const folded: string[] = [];
  const spellings = [...text.matchAll(SPELLING)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
  let spelling = spellings.shift();
  for (let at = 0; at < text.length; ) {
    starts.push(at);
    if (spelling?.start === at) {
      isWord.push(false);
      exact.push(BARRIER);
      folded.push(BARRIER);
      at = spelling.end;
      spelling = spellings.shift();
      continue;
    }
    const character = characterAt(text, at);
    at += character.length;
    if (SPACE.test(character)) {
      while (at < text.length && SPACE.test(text[at]!)) at++;
      isWord.push(false);
      exact.push(' ');
      folded.push(' ');
    } else {
      isWord.push(isWordCharacter(character));
      exact.push(character);
      folded.push(foldedCharacter(character));
    }
  }
  starts.push(text.length);
  return { starts, isWord, exact: viewOf(exact), folded: viewOf(folded) };
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)!;
  return code > 0xffff ? String.fromCodePoint(code) : text[at]!;
}

function viewOf(tokens: readonly string[]): View {
  const text = tokens.join('');
  const units: number[] = [];
  const begins = new Int32Array(text.length + 1).fill(-1);
  let unit = 0;
  for (const [index, token] of tokens.entries()) {
    units.push(unit);
    begins[unit] = index;
    unit += token.length;
  }
  units.push(unit);
  begins[unit] = tokens.length;
  return { text, units, tokens: begins };
}
