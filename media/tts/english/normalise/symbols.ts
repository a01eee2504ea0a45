import type { SpokenForm } from '../../traced-text.js';
import type { NormaliserTables } from '../assets.js';

const ONLY_BETWEEN = '=<>~';

/** Signs that have a name; those between words only there, so that "<3" or "=" alone stay silent. */
export function symbols(tables: NormaliserTables): SpokenForm[] {
  return Object.entries(tables.symbols).map(([sign, word]) => {
    const literal = sign.replace(/[*^|\\]/g, '\\$&');
    const said = word === '' ? ' ' : ` ${word} `;
    return {
      pattern: ONLY_BETWEEN.includes(sign)
        ? new RegExp(`(?<=\\S) ?${literal} ?(?=\\S)`, 'g')
        : new RegExp(literal, 'g'),
      needs: sign,
      say: () => said,
    };
  });
}
