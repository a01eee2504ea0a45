import { Resampler } from '../../media/resample/resampler.js';
import { linkedAbort } from '../../media/stream/linked-abort.js';
import type { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import { type ReplyPiece, ReplyPieces } from '../../media/tts/reply-pieces.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { SpokenPiece } from '../audio/heard-text.js';
import type { Clock } from '../clock.js';
import { CallError } from '../errors.js';
import type { AgentConfig } from './agent-config.js';
import { sayingsIn } from './sayings.js';
import { canRetryVoice, voiceTimeoutMs } from './silence-budget.js';
import { LATE, type Patience, within } from './within.js';

/** Between tokens: what has come is said now, what follows is a text of its own. */
export const FLUSH: unique symbol = Symbol('flush');
/** The same, and what follows is in the language and by the voice of now. */
export const CHANGE: unique symbol = Symbol('change');
export type SpokenToken = string | typeof FLUSH | typeof CHANGE;

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
  /** With it a voice that hangs fails; without, it is waited for. */
  readonly clock?: Clock;
  /** How long (ms) the caller has heard nothing; the longer, the less time a voice gets. */
  readonly quietMs?: () => number;
  /** Speak on when the voice fails. */
  readonly fallbackVoices?: readonly VoiceModel[];
  /** How it is to be spoken after `CHANGE`. */
  readonly mannerNow?: () => Manner & Pick<SpeechOptions, 'fallbackVoices'>;
  /** Told of each failure that another attempt made good. */
  readonly onVoiceFault?: (error: unknown) => void;
  /** Told who speaks, when a piece begins to sound. */
  readonly onVoice?: (voice: VoiceModel) => void;
  readonly onFirstToken?: () => void;
  /** The first piece goes to the voice. */
  readonly onFirstChunk?: () => void;
  readonly onFirstAudio?: () => void;
}

/** How an agent's words sound, whatever they are. */
export type Manner = Pick<
  SpeechOptions,
  'voice' | 'language' | 'dictionary' | 'temperature' | 'topP' | 'minSentenceLength' | 'sampleRate'
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

/**
 * Speaks a reply while it is still being written, sentence by sentence; pulling is its backpressure.
 * @throws CallError SPEECH_FAILED when there was something to say and no sound came of all of it.
 */
export async function* speakReply(
  tokens: AsyncIterable<SpokenToken>,
  options: SpeechOptions,
): AsyncGenerator<SpokenPiece> {
  let pieces = piecesOf(options);
  let manner = options;
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
      for (const piece of pieces.flush()) yield* speakPiece(piece, manner, progress);
      if (token === FLUSH) continue;
      manner = { ...options, ...options.mannerNow?.() };
      pieces = piecesOf(manner);
      progress.voices = voicesOf(manner);
      continue;
    }
    progress.token?.();
    progress.token = undefined;
    const text = isApart && !/^\s/.test(token) ? ` ${token}` : token;
    isApart = false;
    for (const piece of pieces.push(text)) yield* speakPiece(piece, manner, progress);
  }
  for (const piece of pieces.flush()) yield* speakPiece(piece, manner, progress);
  if (progress.isSilent && !options.signal.aborted) {
    throw new CallError('SPEECH_FAILED', 'The voice gave no sound at all');
  }
}

function piecesOf({ language, minSentenceLength, dictionary }: SpeechOptions): ReplyPieces {
  return new ReplyPieces({ language, minLength: minSentenceLength, dictionary });
}

function voicesOf({ voice, fallbackVoices = [] }: SpeechOptions): readonly VoiceModel[] {
  return [voice, ...fallbackVoices];
}

/** One text as tokens. */
export async function* fixedText(text: string): AsyncGenerator<string> {
  yield text;
}

interface Progress {
  /** Those that have not failed in the middle of a sentence yet. */
  voices: readonly VoiceModel[];
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
  piece: ReplyPiece,
  options: SpeechOptions,
  progress: Progress,
): AsyncGenerator<SpokenPiece> {
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
function brokenOff(options: SpeechOptions): readonly ReplyPiece[] {
  const pieces = piecesOf(options);
  return [...pieces.push(` ${sayingsIn(options.language).brokenOff}`), ...pieces.flush()];
}

/** The text and the places of its words are those of the reply as it was written. */
async function* sayWith(
  voice: VoiceModel,
  { written, spoken, pronounced }: ReplyPiece,
  { language, temperature, topP, sampleRate, signal, clock, quietMs }: SpeechOptions,
): AsyncGenerator<SpokenPiece> {
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

async function inTime<T>(work: Promise<T>, timeoutMs: number, patience: Patience): Promise<T> {
  const result = await within(work, timeoutMs, patience);
  if (result === LATE) throw new CallError('SPEECH_FAILED', TOO_LATE);
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
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
