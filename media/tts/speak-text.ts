import { linkedAbort } from '../async/linked-abort.js';
import { prefetch } from '../async/prefetch.js';
import { pronouncedWithin } from '../text/dictionary/dictionary.js';
import { eachSentence, splitSentences } from '../text/sentences.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
  WordTime,
} from './text-to-speech.js';

export interface SpeakTextOptions extends SpeakOptions {
  /** Chunks that are made before they are asked for; the next sentence is then ready in time. By default 0. */
  readonly ahead?: number;
}

/**
 * Speaks a text of any number of sentences; ranges and times of the words are those of the whole text
 * and the whole stream. A sentence's words come with its first chunk. The caller owns the samples.
 * @throws MediaError ABORTED when the signal fires.
 */
export async function* speakText(
  voice: TextToSpeech,
  text: SynthesisRequest,
  options: SpeakTextOptions,
): AsyncGenerator<SpeechChunk> {
  const { ahead = 0 } = options;
  if (ahead === 0) {
    yield* speakSentences(voice, text, options);
    return;
  }
  const stop = linkedAbort(options.signal);
  const source = speakSentences(voice, text, { ...options, signal: stop.signal });
  yield* prefetch(source, ahead, () => stop.abort());
}

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

async function* speakSentences(
  voice: TextToSpeech,
  text: SynthesisRequest,
  { signal, firstPriority, dueAt }: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  let spoken = 0;
  let index = 0;
  for (const sentence of eachSentence(text.text, text.language)) {
    const sentenceStart = spoken;
    const inWhole = (word: WordTime): WordTime => ({
      textStart: word.textStart + sentence.start,
      textEnd: word.textEnd + sentence.start,
      startSample: word.startSample + sentenceStart,
      endSample: word.endSample + sentenceStart,
    });
    // A seed of its own for each sentence, or all would carry the same noise.
    const utterance = {
      ...text,
      text: sentence.text,
      pronounced: pronouncedWithin(text.pronounced, sentence.start, sentence.end),
      seed: text.seed + index,
    };
    const priority = index === 0 ? firstPriority : 'later-chunk';
    for await (const chunk of voice.speak(utterance, { signal, firstPriority: priority, dueAt })) {
      spoken += chunk.samples.length;
      yield { samples: chunk.samples, words: chunk.words.map(inWhole) };
    }
    index++;
  }
}
