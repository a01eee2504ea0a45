import type { UnknownWordTables } from './assets.js';

/** Runs the model on a word that is not in the lexicon. */
export type PredictPhonemes = (word: string) => Promise<string>;

/**
 * The word as input of the model for unknown words (`chars`, int64 [1, n]), in parts of at
 * most the model's input length. Unknown letters lose their accents or are skipped.
 */
export function encodeUnknownWord(word: string, tables: UnknownWordTables): BigInt64Array[] {
  const ids: bigint[] = [];
  for (const letter of word) {
    const index = tables.in.indexOf(letter);
    const known = index >= 0 ? index : tables.in.indexOf(letter.normalize('NFD').charAt(0));
    if (known >= 0) ids.push(BigInt(known + 1));
  }
  const runs: BigInt64Array[] = [];
  for (let at = 0; at < ids.length; at += tables.maxlen) {
    runs.push(BigInt64Array.from(ids.slice(at, at + tables.maxlen)));
  }
  return runs;
}

/** Decodes the model's symbols, one per position: repeats count once, 0 is a blank (CTC). */
export function decodeUnknownWord(
  symbols: Iterable<bigint | number>,
  tables: UnknownWordTables,
): string {
  let phonemes = '';
  let last = 0;
  for (const symbol of symbols) {
    const index = Number(symbol);
    if (index !== last && index !== 0) phonemes += tables.out[index - 1] ?? '';
    last = index;
  }
  return phonemes;
}
