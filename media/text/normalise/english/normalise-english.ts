import type { AlignedText, SpokenForm } from '../../aligned-text.js';
import type { SettledWord } from '../fixed-pronunciations.js';
import { PLAIN_TABLES } from './default-tables.js';
import { EnglishNormaliser } from './english-normaliser.js';
import { SPELT, speltCharacters } from './spelling.js';

/** Single letters as an engine reads them that would take "A" for the article. */
const LETTERS: SpokenForm = {
  pattern: new RegExp(`[${SPELT}]+`, 'g'),
  say: ([signs]) =>
    Array.from(speltCharacters(signs) ?? '', (sign) => NAMES.get(sign) ?? sign).join(' '),
};
const NAMES: ReadonlyMap<string, string> = new Map([
  ['A', 'eigh'],
  ['.', 'point'],
]);

let normaliser: EnglishNormaliser | undefined;

/** An English text in words alone, for an engine that turns words into phonemes itself. */
export function plainEnglish(text: string, settled: readonly SettledWord[] = []): AlignedText {
  normaliser ??= new EnglishNormaliser(PLAIN_TABLES, 'us');
  return normaliser.normalise(text, settled).rewrite(LETTERS);
}
