import { speakText } from './speak-text.js';
import type { SpeakOptions, SpeechChunk, Utterance, VoiceModel } from './voice-model.js';

/** No piece has more sentences than this, so no two sentences of a text share a seed. */
const SEEDS_PER_PIECE = 10_000;

/**
 * Speaks a text that comes in pieces, whole sentences each, as it comes. Words keep the ranges and
 * times of their piece.
 * @throws MediaError ABORTED when the signal fires.
 */
export async function* speakPieces(
  voice: VoiceModel,
  pieces: AsyncIterable<Utterance>,
  options: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  let index = 0;
  for await (const piece of pieces) {
    const text = { ...piece, seed: piece.seed + index * SEEDS_PER_PIECE };
    const firstPriority = index === 0 ? options.firstPriority : 'later-chunk';
    yield* speakText(voice, text, { ...options, firstPriority });
    index++;
  }
}
