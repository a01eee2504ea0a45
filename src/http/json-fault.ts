/** Why a text is no JSON, and where. Worded like Python's json module, which clients know. */
export interface JsonFault {
  readonly error: string;
  /** In code points from the start of the text. */
  readonly offset: number;
}

/** Deeper nesting is refused: no shape of the API comes near it. */
export const MAX_JSON_DEPTH = 100;

class Found extends Error {
  readonly at: number;
  constructor(error: string, at: number) {
    super(error);
    this.at = at;
  }
}

/** Whether brackets nest deeper than allowed; counts outside of strings, so it cannot be fooled. */
export function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return i;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return undefined;
}

/** Finds the first fault of a text that JSON.parse refused. Call it only when nesting is bounded. */
export function findJsonFault(text: string): JsonFault {
  try {
    const end = skipValue(text, skipSpace(text, 0));
    const rest = skipSpace(text, end);
    if (rest < text.length) throw new Found('Extra data', rest);
  } catch (fault) {
    if (!(fault instanceof Found)) throw fault;
    return { error: fault.message, offset: [...text.slice(0, fault.at)].length };
  }
  return { error: 'Expecting value', offset: 0 };
}

function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && ' \t\n\r'.includes(text[i]!)) i++;
  return i;
}

function skipValue(text: string, at: number): number {
  switch (text[at]) {
    case '{':
      return skipMembers(text, at + 1);
    case '[':
      return skipItems(text, at + 1);
    case '"':
      return skipString(text, at);
    default: {
      const literal = /(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
      literal.lastIndex = at;
      if (!literal.test(text)) throw new Found('Expecting value', at);
      return literal.lastIndex;
    }
  }
}

function skipItems(text: string, start: number): number {
  let at = skipSpace(text, start);
  if (text[at] === ']') return at + 1;
  for (;;) {
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === ']') return at + 1;
    if (text[at] !== ',') throw new Found("Expecting ',' delimiter", at);
    at = skipSpace(text, at + 1);
  }
}

function skipMembers(text: string, start: number): number {
  let at = skipSpace(text, start);
  if (text[at] === '}') return at + 1;
  for (;;) {
    if (text[at] !== '"') {
      throw new Found('Expecting property name enclosed in double quotes', at);
    }
    at = skipSpace(text, skipString(text, at));
    if (text[at] !== ':') throw new Found("Expecting ':' delimiter", at);
    at = skipSpace(text, skipValue(text, skipSpace(text, at + 1)));
    if (text[at] === '}') return at + 1;
    if (text[at] !== ',') throw new Found("Expecting ',' delimiter", at);
    at = skipSpace(text, at + 1);
  }
}

function skipString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i]!;
    if (char === '"') return i + 1;
    if (char < ' ') throw new Found('Invalid control character at', i);
    if (char !== '\\') continue;
    i++;
    if (i >= text.length) break;
    if (text[i] === 'u') {
      if (!/^[0-9a-f]{4}$/i.test(text.slice(i + 1, i + 5))) {
        throw new Found('Invalid \\uXXXX escape', i);
      }
      i += 4;
    } else if (!'"\\/bfnrt'.includes(text[i]!)) {
      throw new Found('Invalid \\escape', i - 1);
    }
  }
  throw new Found('Unterminated string starting at', start);
}
