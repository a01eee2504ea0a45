import { linkedAbort } from '../stream/linked-abort.js';
import { readAhead } from '../stream/read-ahead.js';
import { pronouncedWithin } from './dictionary/dictionary.js';
import { eachSentence } from './sentences.js';
import type { SpeakOptions, SpeechChunk, Utterance, VoiceModel, WordTime } from './voice-model.js';

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
  voice: VoiceModel,
  text: Utterance,
  options: SpeakTextOptions,
): AsyncGenerator<SpeechChunk> {
  const { ahead = 0 } = options;
  if (ahead === 0) {
    yield* speakSentences(voice, text, options);
    return;
  }
  const stop = linkedAbort(options.signal);
  const source = speakSentences(voice, text, { ...options, signal: stop.signal });
  yield* readAhead(source, ahead, () => stop.abort());
}

async function* speakSentences(
  voice: VoiceModel,
  text: Utterance,
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
