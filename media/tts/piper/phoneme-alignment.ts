/** Marks that may differ between two pronunciations of a word: stress, length and others. */
const WEAK = /[ˈˌːˑ'-]/u;

/**
 * Assigns the phonemes of a clause to its words by the minimum edit distance, if its groups do not match the words.
 * Source: Wagner and Fischer, 1974.
 *
 * @param phonemes - of the clause; spaces belong to the word before them
 * @param alone - phonemes of each word spoken alone
 * @returns an index into `alone` for each phoneme, in ascending order
 */
export function wordsOfPhonemes(phonemes: readonly string[], alone: readonly string[]): number[] {
  const said = alone.flatMap((word, index) =>
    Array.from(word.replaceAll(' ', ''), (phoneme) => ({ phoneme, index })),
  );
  const width = said.length + 1;
  const costs = new Uint16Array((phonemes.length + 1) * width);
  for (let j = 1; j < width; j++) costs[j] = j;
  for (let i = 1; i <= phonemes.length; i++) {
    costs[i * width] = i;
    for (let j = 1; j < width; j++) {
      const change = difference(phonemes[i - 1]!, said[j - 1]!.phoneme);
      costs[i * width + j] = Math.min(
        costs[(i - 1) * width + j - 1]! + change,
        costs[(i - 1) * width + j]! + 1,
        costs[i * width + j - 1]! + 1,
      );
    }
  }
  const words = new Array<number>(phonemes.length).fill(0);
  let j = said.length;
  for (let i = phonemes.length; i > 0; i--) {
    const cost = () => costs[i * width + j]!;
    while (j > 0 && cost() === costs[i * width + j - 1]! + 1) j--;
    words[i - 1] = said[Math.max(0, j - 1)]?.index ?? 0;
    if (j === 0) continue;
    const change = difference(phonemes[i - 1]!, said[j - 1]!.phoneme);
    if (cost() === costs[(i - 1) * width + j - 1]! + change) j--;
  }
  return words;
}

function difference(one: string, other: string): number {
  if (one === other) return 0;
  return WEAK.test(one) || WEAK.test(other) || one === ' ' ? 2 : 1;
}
