import type { CallVariables } from './call-overrides.schema.js';

/** `{{name}}`, with optional white space around the name. Matches in linear time. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
/**
 * Maximum length of a value in a prompt or greeting, code points. Longer values are truncated. Requests
 * accept values of up to 10,000 characters (call-overrides.schema.ts).
 */
const MAX_FILLED_LENGTH = 2_000;

/** Control characters, line and paragraph separators. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
/** Invisible characters, which could hide instructions. Joiners stay, because some scripts need them. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;
/** Positions inside delimiters of placeholders, roles and instructions of LLM templates. */
const INSIDE_MARKS =
  /(?<=\{)(?=[{%])|(?<=[}%])(?=\})|(?<=<)(?=[<|])|(?<=[>|])(?=>)|(?<=`)(?=`)|(?<=\[)(?=\/?INST\])/gi;
/** The start of a Markdown heading, quotation or list item. */
const LINE_MARKS = /^[#>*=~\-\s]+(?=\s)/;

/** The names of the placeholders in a text. */
export function placeholdersOf(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, inner]) => inner!.trim());
  return new Set(names.filter((name) => name !== ''));
}

/**
 * Fills the placeholders of a text in one pass. A placeholder without a value becomes empty. A value
 * cannot add placeholders, lines or delimiters of an LLM template.
 */
export function fillPlaceholders(text: string, variables: CallVariables): string {
  return text.replace(PLACEHOLDER, (_, inner: string) => {
    const name = inner.trim();
    return name !== '' && Object.hasOwn(variables, name) ? toPlainLine(variables[name]!) : '';
  });
}

/** A value as one line of plain words, without delimiters. */
export function toPlainLine(value: string | number | boolean): string {
  const line = String(value).replace(INVISIBLE, '').replace(BREAKS, ' ').trim();
  const words = [...line.replace(LINE_MARKS, '')].slice(0, MAX_FILLED_LENGTH).join('');
  return words.replace(INSIDE_MARKS, ' ').trim();
}
