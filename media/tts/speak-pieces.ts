import { splitSentences } from '../text/sentences.js';
import { speakText } from './speak-text.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
} from './text-to-speech.js';

/**
 * Speaks a text that comes in pieces, whole sentences each, as it comes; it sounds as if it had come
 * at once. Words keep the ranges and times of their piece.
 * @throws MediaError ABORTED when the signal fires.
 */
export async function* speakChunks(
  voice: TextToSpeech,
  pieces: AsyncIterable<SynthesisRequest>,
  options: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  let sentences = 0;
  for await (const piece of pieces) {
    const firstPriority = sentences === 0 ? options.firstPriority : 'later-chunk';
    const text = { ...piece, seed: piece.seed + sentences };
    yield* speakText(voice, text, { ...options, firstPriority });
    // Each sentence has a seed of its own, counted from the text's.
    sentences += splitSentences(piece.text, piece.language).length;
  }
}
