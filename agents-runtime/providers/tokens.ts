/** UTF-8 bytes that count as one token. */
export const BYTES_PER_TOKEN = 3;

/**
 * How many tokens a model makes of a text, at most: an estimate, because each model of an
 * OpenAI-compatible server has a vocabulary of its own. Common ones make one of four letters of English,
 * of two to three of Cyrillic (two bytes each) and of one to two Chinese characters (three bytes each),
 * so that a token for every three bytes is on the safe side in all of them.
 * Source: the rule of four characters that OpenAI's documentation gives for English.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
