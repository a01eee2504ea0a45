import type { SpokenForm } from '../../aligned-text.js';
import type { Grammar } from './grammar.js';
import { anyOf, contextOf } from './number-text.js';

/** Returns the rules that expand abbreviations. A full stop that also ends the text is kept. */
export function abbreviationRules({ abbreviations }: Grammar): SpokenForm[] {
  const everywhere = new Map<string, string>();
  const beforeNumbers = new Map<string, string>();
  for (const [written, said] of Object.entries(abbreviations)) {
    const isBeforeNumber = written.endsWith('#');
    const table = isBeforeNumber ? beforeNumbers : everywhere;
    const short = isBeforeNumber ? written.slice(0, -1) : written;
    table.set(short, said);
    const capital = capitalised(short);
    if (!table.has(capital)) table.set(capital, capitalised(said));
  }
  return [rule(beforeNumbers, '(?= ?\\d)'), rule(everywhere, '(?!\\p{L})')];
}

function rule(table: ReadonlyMap<string, string>, behind: string): SpokenForm {
  // Matches "z. B." and "z.B."
  const any = anyOf(table.keys()).replace(/\\\. ?(?=\p{L})/gu, '\\. ?');
  const bare = new Map([...table].map(([short, said]) => [short.replaceAll(' ', ''), said]));
  return {
    pattern: new RegExp(`(?<![\\p{L}\\d.])(${any || '(?!)'})${behind}`, 'gu'),
    say: (match) => {
      const said = bare.get(match[1]!.replaceAll(' ', ''));
      if (said === undefined) return undefined;
      const { behind: rest } = contextOf(match);
      if (rest === '' || /^["”’»')\]]{0,3}\s?$/.test(rest)) {
        return match[0].endsWith('.') ? `${said}.` : said;
      }
      return /^\d/.test(rest) ? `${said} ` : said;
    },
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
