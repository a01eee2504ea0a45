import type { SpokenForm } from '../../aligned-text.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';

const ONLY_BETWEEN = '=<>~';

/**
 * Returns the rules that write signs by name. Some signs have a name between words only, unlike "<3" or a single "=".
 */
export function symbols(tables: NormaliserTables): SpokenForm[] {
  return Object.entries(tables.symbols).map(([sign, word]) => {
    const literal = sign.replace(/[*^|\\]/g, '\\$&');
    return {
      pattern: ONLY_BETWEEN.includes(sign)
        ? new RegExp(`(?<=\\S) ?${literal} ?(?=\\S)`, 'g')
        : new RegExp(literal, 'g'),
      needs: sign,
      say: (match) => spaced(match, word.trim()),
    };
  });
}

/** Adds a space on both sides of a word, except before punctuation. */
function spaced({ input, index, 0: found }: RegExpExecArray, word: string): string {
  const next = input[index + found.length] ?? ' ';
  const behind = /[\s,.;:!?)\]]/.test(next) ? '' : ' ';
  const isMark = /^,/.test(word);
  return (isMark || word === '' ? '' : ' ') + word + behind;
}
