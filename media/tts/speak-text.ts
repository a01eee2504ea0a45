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
  /** Number of chunks to synthesise before they are pulled. Default: 0. */
  readonly ahead?: number;
}

/**
 * Speaks a text of any number of sentences. Ranges and times of words refer to the whole text and the
 * whole stream. The words of a sentence arrive with its first chunk. The caller owns the samples.
 * @throws MediaError ABORTED when the signal fires.
 */
export async function* speakText(
  voice: TextToSpeech,
  request: SynthesisRequest,
  options: SpeakTextOptions,
): AsyncGenerator<SpeechChunk> {
  const { ahead = 0 } = options;
  if (ahead === 0) {
    yield* speakSentences(voice, request, options);
    return;
  }
  const stop = linkedAbort(options.signal);
  const source = speakSentences(voice, request, { ...options, signal: stop.signal });
  yield* prefetch(source, ahead, () => stop.abort());
}

/**
 * Speaks a text that arrives in parts of whole sentences. The audio is the same as for the whole text;
 * ranges and times of words refer to their part.
 * @throws MediaError ABORTED when the signal fires.
 */
export async function* speakParts(
  voice: TextToSpeech,
  parts: AsyncIterable<SynthesisRequest>,
  options: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  let sentences = 0;
  for await (const part of parts) {
    const firstPriority = sentences === 0 ? options.firstPriority : 'later-chunk';
    const request = { ...part, seed: part.seed + sentences };
    yield* speakText(voice, request, { ...options, firstPriority });
    // Sentences have consecutive seeds, counted through all parts.
    sentences += splitSentences(part.text, part.language).length;
  }
}

async function* speakSentences(
  voice: TextToSpeech,
  request: SynthesisRequest,
  { signal, firstPriority, dueAt }: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  let spoken = 0;
  let index = 0;
  for (const sentence of eachSentence(request.text, request.language)) {
    const sentenceStart = spoken;
    const inWhole = (word: WordTime): WordTime => ({
      textStart: word.textStart + sentence.start,
      textEnd: word.textEnd + sentence.start,
      startSample: word.startSample + sentenceStart,
      endSample: word.endSample + sentenceStart,
    });
    // With an equal seed, all sentences would have the same noise.
    const utterance = {
      ...request,
      text: sentence.text,
      pronounced: pronouncedWithin(request.pronounced, sentence.start, sentence.end),
      seed: request.seed + index,
    };
    const priority = index === 0 ? firstPriority : 'later-chunk';
    for await (const chunk of voice.speak(utterance, { signal, firstPriority: priority, dueAt })) {
      spoken += chunk.samples.length;
      yield { samples: chunk.samples, words: chunk.words.map(inWhole) };
    }
    index++;
  }
}
