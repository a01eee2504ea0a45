import type { SpokenForm } from '../../aligned-text.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';

const ONLY_BETWEEN = '=<>~';

/** Names of signs. Some apply only between words, so that "<3" or a single "=" is not spoken. */
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

/** With a space on both sides, except before punctuation. */
function spaced({ input, index, 0: found }: RegExpExecArray, word: string): string {
  const next = input[index + found.length] ?? ' ';
  const behind = /[\s,.;:!?)\]]/.test(next) ? '' : ' ';
  const isMark = /^,/.test(word);
  return (isMark || word === '' ? '' : ' ') + word + behind;
}
