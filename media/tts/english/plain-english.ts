import type { SpokenForm, TracedText } from '../traced-text.js';
import { EnglishNormaliser } from './normalise/normalise.js';
import { SPELT, speltCharacters } from './normalise/spelling.js';
import { PLAIN_TABLES } from './plain-tables.js';
import type { SettledWord } from './settled-words.js';

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
export function plainEnglish(text: string, settled: readonly SettledWord[] = []): TracedText {
  normaliser ??= new EnglishNormaliser(PLAIN_TABLES, 'us');
  return normaliser.normalise(text, settled).rewrite(LETTERS);
}
