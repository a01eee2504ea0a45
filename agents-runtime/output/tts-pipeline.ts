import { linkedAbort } from '../../media/async/linked-abort.js';
import { concat } from '../../media/audio/pcm.js';
import { Resampler } from '../../media/audio/resampler.js';
import type { Dictionary } from '../../media/text/dictionary/dictionary.js';
import { type TtsChunk, TtsChunker } from '../../media/text/tts-chunker.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { AgentConfig } from '../contract/agent-config.js';
import type { Clock } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { stockPhrasesIn } from '../reply/phrases/registry.js';
import { canRetryVoice, voiceTimeoutMs } from '../timing/silence-budget.js';
import { TIMED_OUT, type TimeoutOptions, withTimeout } from '../timing/timeout.js';
import type { SpokenChunk } from './spoken-text-alignment.js';

/** Between tokens: what has come is said now, what follows is a text of its own. */
export const FLUSH: unique symbol = Symbol('flush');
/** The same, and what follows is in the language and by the voice of now. */
export const VOICE_CHANGED: unique symbol = Symbol('change');
export type SpokenToken = string | typeof FLUSH | typeof VOICE_CHANGED;

export interface TtsPipelineOptions {
  readonly voice: TextToSpeech;
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
  /** With it a voice that hangs fails; without, it is waited for. */
  readonly clock?: Clock;
  /** How long (ms) the caller has heard nothing; the longer, the less time a voice gets. */
  readonly quietMs?: () => number;
  /** Speak on when the voice fails. */
  readonly fallbackVoices?: readonly TextToSpeech[];
  /** How it is to be spoken after `CHANGE`. */
  readonly currentSettings?: () => TtsSettings & Pick<TtsPipelineOptions, 'fallbackVoices'>;
  /** Told of each failure that another attempt made good. */
  readonly onVoiceFault?: (error: unknown) => void;
  /** Told who speaks, when a piece begins to sound. */
  readonly onVoice?: (voice: TextToSpeech) => void;
  readonly onFirstToken?: () => void;
  /** The first piece goes to the voice. */
  readonly onFirstChunk?: () => void;
  readonly onFirstAudio?: () => void;
}

/** How an agent's words sound, whatever they are. */
export type TtsSettings = Pick<
  TtsPipelineOptions,
  'voice' | 'language' | 'dictionary' | 'temperature' | 'topP' | 'minSentenceLength' | 'sampleRate'
>;

/** @param sampleRate Hz that the wire wants. */
export function ttsSettingsOf(
  config: AgentConfig,
  voice: TextToSpeech,
  sampleRate: number,
): TtsSettings {
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

/**
 * Speaks a reply while it is still being written, sentence by sentence; pulling is its backpressure.
 * @throws CallError SPEECH_FAILED when there was something to say and no sound came of all of it.
 */
export async function* synthesiseReply(
  tokens: AsyncIterable<SpokenToken>,
  options: TtsPipelineOptions,
): AsyncGenerator<SpokenChunk> {
  let pieces = piecesOf(options);
  let settings = options;
  const { onFirstToken, onFirstChunk, onFirstAudio } = options;
  const progress: Progress = {
    voices: voicesOf(options),
    token: onFirstToken,
    chunk: onFirstChunk,
    audio: onFirstAudio,
  };
  let isApart = false;
  for await (const token of tokens) {
    if (typeof token !== 'string') {
      isApart = true;
      for (const piece of pieces.flush()) yield* speakPiece(piece, settings, progress);
      if (token === FLUSH) continue;
      settings = { ...options, ...options.currentSettings?.() };
      pieces = piecesOf(settings);
      progress.voices = voicesOf(settings);
      continue;
    }
    progress.token?.();
    progress.token = undefined;
    const text = isApart && !/^\s/.test(token) ? ` ${token}` : token;
    isApart = false;
    for (const piece of pieces.push(text)) yield* speakPiece(piece, settings, progress);
  }
  for (const piece of pieces.flush()) yield* speakPiece(piece, settings, progress);
  if (progress.isSilent && !options.signal.aborted) {
    throw new CallError('SPEECH_FAILED', 'The voice gave no sound at all');
  }
}

function piecesOf({ language, minSentenceLength, dictionary }: TtsPipelineOptions): TtsChunker {
  return new TtsChunker({ language, minLength: minSentenceLength, dictionary });
}

function voicesOf({ voice, fallbackVoices = [] }: TtsPipelineOptions): readonly TextToSpeech[] {
  return [voice, ...fallbackVoices];
}

/** One text as tokens. */
export async function* fixedTextTokens(text: string): AsyncGenerator<string> {
  yield text;
}

interface Progress {
  /** Those that have not failed in the middle of a sentence yet. */
  voices: readonly TextToSpeech[];
  /** Nothing is heard of what was to be said so far; undefined: there was nothing to say. */
  isSilent?: boolean;
  token: (() => void) | undefined;
  chunk: (() => void) | undefined;
  audio: (() => void) | undefined;
}

/**
 * Says the piece; a voice that fails is asked again, then the next one. A sentence at most is lost, and
 * the caller is told.
 */
async function* speakPiece(
  piece: TtsChunk,
  options: TtsPipelineOptions,
  progress: Progress,
): AsyncGenerator<SpokenChunk> {
  const [first, ...rest] = progress.voices;
  const plan = [first!, first!, ...rest];
  progress.isSilent ??= true;
  let wasLate = false;
  for (const [i, voice] of plan.entries()) {
    const mayRetry = !wasLate && (rest.length === 0 || canRetryVoice(options.quietMs?.() ?? 0));
    if (i === 1 && !mayRetry) continue;
    let hasSpoken = false;
    progress.chunk?.();
    progress.chunk = undefined;
    try {
      for await (const part of sayWith(voice, piece, options)) {
        progress.audio?.();
        progress.audio = undefined;
        if (!hasSpoken) options.onVoice?.(voice);
        hasSpoken = true;
        if (part.samples.length > 0) progress.isSilent = false;
        yield part;
      }
      return;
    } catch (error) {
      const others = plan.slice(Math.max(2, i + 1));
      const isHopeless = others.length === 0 && (i > 0 || hasSpoken || isLate(error));
      if (options.signal.aborted || isHopeless) throw error;
      if (i === 0 && isLate(error)) wasLate = true;
      // Nor is one that hangs asked to say what follows.
      if (isLate(error) && others.length > 0) progress.voices = others;
      options.onVoiceFault?.(error);
      if (!hasSpoken) continue;
      progress.voices = others;
      yield { text: '', words: [], samples: new Float32Array(0), isBroken: true };
      for (const told of brokenOff(options)) yield* speakPiece(told, options, progress);
      return;
    }
  }
}

/** Why the sentence was not said to its end. */
function brokenOff(options: TtsPipelineOptions): readonly TtsChunk[] {
  const pieces = piecesOf(options);
  return [...pieces.push(` ${stockPhrasesIn(options.language).brokenOff}`), ...pieces.flush()];
}

/** The text and the places of its words are those of the reply as it was written. */
async function* sayWith(
  voice: TextToSpeech,
  { written, spoken, pronounced }: TtsChunk,
  { language, temperature, topP, sampleRate, signal, clock, quietMs }: TtsPipelineOptions,
): AsyncGenerator<SpokenChunk> {
  const resampler =
    sampleRate === voice.sampleRate ? undefined : new Resampler(voice.sampleRate, sampleRate);
  const ratio = sampleRate / voice.sampleRate;
  const sound = { temperature, topP, seed: SEED, speed: 1 };
  const utterance = { text: spoken.text, pronounced, language, ...sound };
  const work = linkedAbort(signal);
  const chunks = voice.speak(utterance, { signal: work.signal, firstPriority: 'first-chunk' });
  let isFirst = true;
  try {
    for (;;) {
      const timeoutMs = voiceTimeoutMs(quietMs?.() ?? 0);
      const next = await (clock
        ? inTime(chunks.next(), timeoutMs, { clock, signal })
        : chunks.next());
      if (next.done) break;
      const { samples, words } = next.value;
      yield {
        text: isFirst ? written : '',
        words: words.map((word) => ({
          ...spoken.origin(word.textStart, word.textEnd),
          startSample: word.startSample * ratio,
          endSample: word.endSample * ratio,
        })),
        samples: resampler ? converted(resampler, samples) : samples,
      };
      isFirst = false;
    }
    if (resampler && !isFirst) yield { text: '', words: [], samples: converted(resampler) };
  } finally {
    work.abort();
    // Not awaited: a voice that hangs would never answer.
    void chunks.return(undefined).catch(() => undefined);
  }
}

const TOO_LATE = 'The voice gave no sound in time';

async function inTime<T>(work: Promise<T>, timeoutMs: number, timeout: TimeoutOptions): Promise<T> {
  const result = await withTimeout(work, timeoutMs, timeout);
  if (result === TIMED_OUT) throw new CallError('SPEECH_FAILED', TOO_LATE);
  return result;
}

/** A voice that hangs is not waited for a second time. */
function isLate(error: unknown): boolean {
  return error instanceof CallError && error.message === TOO_LATE;
}

function converted(resampler: Resampler, samples?: Float32Array): Float32Array {
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  if (samples) resampler.push(samples, keep);
  else resampler.flush(keep);
  return concat(Float32Array, parts);
}
