import type { CallVariables } from './call-overrides.schema.js';

/**
 * What stands between `{{` and `}}`; the name is that without the white space around it. No part of
 * the pattern can match in two ways, so it takes linear time. Source: the contract's supplement, §6.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
/** Code points of a value that reach a prompt. */
const MAX_VALUE = 2_000;

/** Control characters, line and paragraph separators. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
/** Characters that show nothing, but the joiners that some scripts need: words may hide in them. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;
/** Inside the marks by which templates and models know placeholders, roles and instructions. */
const INSIDE_MARKS =
  /(?<=\{)(?=[{%])|(?<=[}%])(?=\})|(?<=<)(?=[<|])|(?<=[>|])(?=>)|(?<=`)(?=`)|(?<=\[)(?=\/?INST\])/gi;
/** What makes a line a heading, a quotation or an item. */
const LINE_MARKS = /^[#>*=~\-\s]+(?=\s)/;

/** The names of a text's placeholders. */
export function placeholdersOf(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, inner]) => inner!.trim());
  return new Set(names.filter((name) => name !== ''));
}

/**
 * Fills the placeholders of a text in one pass; one without a value is left out. Values are data:
 * none can add a placeholder, a line of its own or a mark of a model's template.
 */
export function fillPlaceholders(text: string, variables: CallVariables): string {
  return text.replace(PLACEHOLDER, (_, inner: string) => {
    const name = inner.trim();
    return name !== '' && Object.hasOwn(variables, name) ? asData(variables[name]!) : '';
  });
}

/** A value as part of a sentence: one line, and no mark that could make it more than words. */
export function asData(value: string | number | boolean): string {
  const line = String(value).replace(INVISIBLE, '').replace(BREAKS, ' ').trim();
  const words = [...line.replace(LINE_MARKS, '')].slice(0, MAX_VALUE).join('');
  return words.replace(INSIDE_MARKS, ' ').trim();
}
