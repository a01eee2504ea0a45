import type { SteppedTask } from '../../../../media/async/cooperative.js';

/** The first syntax error of a text, in the words of Python's json module. */
export interface JsonSyntaxError {
  readonly error: string;
  /** In code points from the start of the text. */
  readonly offset: number;
}

/** Deepest nesting of a JSON body. */
export const MAX_JSON_DEPTH = 100;

class SyntaxFault extends Error {
  readonly at: number;
  constructor(error: string, at: number) {
    super(error);
    this.at = at;
  }
}

/** UTF-16 units that are scanned in one step. */
const UNITS_AT_ONCE = 131_072;

/** The position where brackets outside of strings nest deeper than allowed, if any. */
export function* tooDeepAt(text: string): SteppedTask<number | undefined> {
  let depth = 0;
  let isInString = false;
  let pauseAt = UNITS_AT_ONCE;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return i;
    } else if (code === 0x7d || code === 0x5d) depth--;
    if (i >= pauseAt) {
      pauseAt += UNITS_AT_ONCE;
      yield;
    }
  }
  return undefined;
}

/** Finds the first fault of a text that JSON.parse rejected. Call it only if the nesting is bounded. */
export function* findJsonFault(text: string): SteppedTask<JsonSyntaxError> {
  try {
    const end = yield* new Skipper(text).value(skipSpace(text, 0));
    const rest = skipSpace(text, end);
    if (rest < text.length) throw new SyntaxFault('Extra data', rest);
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    return { error: fault.message, offset: yield* codePointsBefore(text, fault.at) };
  }
  return { error: 'Expecting value', offset: 0 };
}

function* codePointsBefore(text: string, end: number): SteppedTask<number> {
  let count = 0;
  let pauseAt = UNITS_AT_ONCE;
  for (let i = 0; i < end; i++, count++) {
    if (text.codePointAt(i)! > 0xffff) i++;
    if (i < pauseAt) continue;
    pauseAt += UNITS_AT_ONCE;
    yield;
  }
  return count;
}

function skipSpace(text: string, at: number): number {
  return endOf(/[ \t\n\r]*/y, text, at);
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

/** Skips values of a text in steps. */
class Skipper {
  readonly #text: string;
  #pauseAt = UNITS_AT_ONCE;

  constructor(text: string) {
    this.#text = text;
  }

  *value(at: number): SteppedTask<number> {
    const text = this.#text;
    switch (text[at]) {
      case '{':
        return yield* this.#members(at + 1);
      case '[':
        return yield* this.#items(at + 1);
      case '"':
        return skipString(text, at);
      default: {
        const literal = /(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
        literal.lastIndex = at;
        if (!literal.test(text)) throw new SyntaxFault('Expecting value', at);
        return literal.lastIndex;
      }
    }
  }

  *#items(start: number): SteppedTask<number> {
    const text = this.#text;
    let at = skipSpace(text, start);
    if (text[at] === ']') return at + 1;
    for (;;) {
      at = skipSpace(text, yield* this.value(at));
      if (text[at] === ']') return at + 1;
      if (text[at] !== ',') throw new SyntaxFault("Expecting ',' delimiter", at);
      at = skipSpace(text, at + 1);
      yield* this.#pause(at);
    }
  }

  *#members(start: number): SteppedTask<number> {
    const text = this.#text;
    let at = skipSpace(text, start);
    if (text[at] === '}') return at + 1;
    for (;;) {
      if (text[at] !== '"') {
        throw new SyntaxFault('Expecting property name enclosed in double quotes', at);
      }
      at = skipSpace(text, skipString(text, at));
      if (text[at] !== ':') throw new SyntaxFault("Expecting ':' delimiter", at);
      at = skipSpace(text, yield* this.value(skipSpace(text, at + 1)));
      if (text[at] === '}') return at + 1;
      if (text[at] !== ',') throw new SyntaxFault("Expecting ',' delimiter", at);
      at = skipSpace(text, at + 1);
      yield* this.#pause(at);
    }
  }

  *#pause(at: number): SteppedTask<void> {
    if (at < this.#pauseAt) return;
    this.#pauseAt = at + UNITS_AT_ONCE;
    yield;
  }
}

function skipString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON forbids
    i = endOf(/[^"\\\u0000-\u001f]*/y, text, i);
    const char = text[i];
    if (char === '"') return i + 1;
    if (char === undefined) break;
    if (char !== '\\') throw new SyntaxFault('Invalid control character at', i);
    i++;
    if (i >= text.length) break;
    if (text[i] === 'u') {
      if (!/^[0-9a-f]{4}$/i.test(text.slice(i + 1, i + 5))) {
        throw new SyntaxFault('Invalid \\uXXXX escape', i);
      }
      i += 4;
    } else if (!'"\\/bfnrt'.includes(text[i]!)) {
      throw new SyntaxFault('Invalid \\escape', i - 1);
    }
  }
  throw new SyntaxFault('Unterminated string starting at', start);
}
