import { Resampler } from '../../media/resample/resampler.js';
import type { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import { type ReplyPiece, ReplyPieces } from '../../media/tts/reply-pieces.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { SpokenPiece } from '../audio/heard-text.js';
import type { AgentConfig } from './agent-config.js';

export interface SpeechOptions {
  readonly voice: VoiceModel;
  readonly language: string;
  /** Says how words are pronounced. */
  readonly dictionary?: Dictionary | undefined;
  readonly temperature: number;
  readonly topP: number;
  /** Characters from which a clause is spoken without waiting for the sentence's end. */
  readonly minSentenceLength: number;
  /** Hz that the wire wants. */
  readonly sampleRate: number;
  readonly signal: AbortSignal;
  readonly onFirstToken?: () => void;
  /** The first piece goes to the voice. */
  readonly onFirstChunk?: () => void;
  readonly onFirstAudio?: () => void;
}

/** How an agent's words sound, whatever they are. */
export type Manner = Omit<
  SpeechOptions,
  'signal' | 'onFirstToken' | 'onFirstChunk' | 'onFirstAudio'
>;

/** @param sampleRate Hz that the wire wants. */
export function mannerOf(config: AgentConfig, voice: VoiceModel, sampleRate: number): Manner {
  const { language, temperature, topP } = config.voice;
  return {
    voice,
    language: language === 'auto' ? 'en' : language,
    temperature,
    topP,
    minSentenceLength: config.ttsMinSentenceLength,
    sampleRate,
  };
}

/** The same words sound the same each time: greetings and tests rely on it. */
const SEED = 1;

/** Speaks a reply while it is still being written, sentence by sentence; pulling is its backpressure. */
export async function* speakReply(
  tokens: AsyncIterable<string>,
  options: SpeechOptions,
): AsyncGenerator<SpokenPiece> {
  const pieces = new ReplyPieces({
    language: options.language,
    minLength: options.minSentenceLength,
    dictionary: options.dictionary,
  });
  const once = {
    token: options.onFirstToken,
    chunk: options.onFirstChunk,
    audio: options.onFirstAudio,
  };
  for await (const token of tokens) {
    once.token?.();
    once.token = undefined;
    for (const piece of pieces.push(token)) yield* speakPiece(piece, options, once);
  }
  for (const piece of pieces.flush()) yield* speakPiece(piece, options, once);
}

/** Says the piece; its text and the places of its words are those of the reply as it was written. */
async function* speakPiece(
  { written, spoken, pronounced }: ReplyPiece,
  options: SpeechOptions,
  once: { chunk: (() => void) | undefined; audio: (() => void) | undefined },
): AsyncGenerator<SpokenPiece> {
  const { voice, language, temperature, topP, sampleRate, signal } = options;
  const resampler =
    sampleRate === voice.sampleRate ? undefined : new Resampler(voice.sampleRate, sampleRate);
  const ratio = sampleRate / voice.sampleRate;
  const sound = { temperature, topP, seed: SEED, speed: 1 };
  const utterance = { text: spoken.text, pronounced, language, ...sound };
  once.chunk?.();
  once.chunk = undefined;
  let isFirst = true;
  for await (const chunk of voice.speak(utterance, { signal, firstPriority: 'first-chunk' })) {
    const samples = resampler ? converted(resampler, chunk.samples) : chunk.samples;
    const words = chunk.words.map((word) => ({
      ...spoken.origin(word.textStart, word.textEnd),
      startSample: word.startSample * ratio,
      endSample: word.endSample * ratio,
    }));
    once.audio?.();
    once.audio = undefined;
    yield { text: isFirst ? written : '', words, samples };
    isFirst = false;
  }
  if (resampler && !isFirst) yield { text: '', words: [], samples: converted(resampler) };
}

function converted(resampler: Resampler, samples?: Float32Array): Float32Array {
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  if (samples) resampler.push(samples, keep);
  else resampler.flush(keep);
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
