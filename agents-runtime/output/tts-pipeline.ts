import { concat } from '../../media/audio/pcm.js';
import { Resampler } from '../../media/audio/resampler.js';
import type { Dictionary } from '../../media/text/dictionary/dictionary.js';
import { type TtsChunk, TtsChunker } from '../../media/text/tts-chunker.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { AgentConfig } from '../contract/agent-config.js';
import type { Clock } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { stockPhrasesIn } from '../reply/phrases/registry.js';
import { FLUSH, type SpokenToken } from '../reply/reply-token.js';
import { isTimeout, ProviderFallback, streamWithin } from '../timing/provider-fallback.js';
import { canRetryVoice, voiceTimeoutMs } from '../timing/silence-budget.js';
import type { SpokenChunk } from './spoken-text-alignment.js';

export interface TtsPipelineOptions {
  readonly voice: TextToSpeech;
  readonly language: string;
  /** Pronunciations of words. */
  readonly dictionary?: Dictionary | undefined;
  readonly temperature: number;
  readonly topP: number;
  /** Characters from which a clause is spoken without waiting for the sentence's end. */
  readonly minSentenceLength: number;
  /** Hz of the transport. */
  readonly sampleRate: number;
  readonly signal: AbortSignal;
  /** Measures the time limit of a voice. Undefined: no limit. */
  readonly clock?: Clock;
  /** Milliseconds since the caller last heard something; the longer, the shorter a voice's time limit. */
  readonly quietMs?: () => number;
  /** Used in this order when the voice fails. */
  readonly fallbackVoices?: readonly TextToSpeech[];
  /** Settings of the text after `VOICE_CHANGED`. */
  readonly currentSettings?: () => TtsSettings & Pick<TtsPipelineOptions, 'fallbackVoices'>;
  /** Receives each failure of a voice that another attempt follows. */
  readonly onVoiceFault?: (error: unknown) => void;
  /** Receives the voice of each chunk, with its first audio. */
  readonly onVoice?: (voice: TextToSpeech) => void;
  readonly onFirstToken?: () => void;
  /** The first chunk goes to the voice. */
  readonly onFirstChunk?: () => void;
  readonly onFirstAudio?: () => void;
}

/** The options that do not depend on the reply. */
export type TtsSettings = Pick<
  TtsPipelineOptions,
  'voice' | 'language' | 'dictionary' | 'temperature' | 'topP' | 'minSentenceLength' | 'sampleRate'
>;

/** @param sampleRate - Hz of the transport */
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

/** Constant, so that the same words sound the same each time: the speech cache and tests rely on it. */
const SEED = 1;
export const VOICE_TIMEOUT_MESSAGE = 'The voice returned no audio in time';

/**
 * Synthesises a reply while it is generated, sentence by sentence. Pulling is the backpressure.
 * @throws CallError SPEECH_FAILED if the whole reply gave no audio; the last voice's error
 */
export async function* synthesiseReply(
  tokens: AsyncIterable<SpokenToken>,
  options: TtsPipelineOptions,
): AsyncGenerator<SpokenChunk> {
  let chunker = chunkerOf(options);
  let settings = options;
  const { onFirstToken, onFirstChunk, onFirstAudio } = options;
  const progress: Progress = {
    voices: voicesOf(options),
    hasText: false,
    hasAudio: false,
    onFirstToken,
    onFirstChunk,
    onFirstAudio,
  };
  let startsNewSentence = false;
  for await (const token of tokens) {
    if (typeof token !== 'string') {
      startsNewSentence = true;
      for (const chunk of chunker.flush()) yield* speakChunk(chunk, settings, progress);
      if (token === FLUSH) continue;
      settings = { ...options, ...options.currentSettings?.() };
      chunker = chunkerOf(settings);
      progress.voices = voicesOf(settings);
      continue;
    }
    progress.onFirstToken?.();
    progress.onFirstToken = undefined;
    const text = startsNewSentence && !/^\s/.test(token) ? ` ${token}` : token;
    startsNewSentence = false;
    for (const chunk of chunker.push(text)) yield* speakChunk(chunk, settings, progress);
  }
  for (const chunk of chunker.flush()) yield* speakChunk(chunk, settings, progress);
  if (progress.hasText && !progress.hasAudio && !options.signal.aborted) {
    throw new CallError('SPEECH_FAILED', 'The voice returned no audio');
  }
}

function chunkerOf({ language, minSentenceLength, dictionary }: TtsPipelineOptions): TtsChunker {
  return new TtsChunker({ language, minLength: minSentenceLength, dictionary });
}

function voicesOf({ voice, fallbackVoices = [] }: TtsPipelineOptions): readonly TextToSpeech[] {
  return [voice, ...fallbackVoices];
}

/** A fixed text as the tokens of a reply. */
export async function* fixedTextTokens(text: string): AsyncGenerator<string> {
  yield text;
}

/** Progress of a reply. A callback is removed when it has run. */
interface Progress {
  /** Voices that have neither hung nor broken off in this reply. */
  voices: readonly TextToSpeech[];
  hasText: boolean;
  hasAudio: boolean;
  onFirstToken: (() => void) | undefined;
  onFirstChunk: (() => void) | undefined;
  onFirstAudio: (() => void) | undefined;
}

/**
 * Speaks one chunk with the first voice that works. If a voice breaks off, the rest of the chunk is lost
 * and the next voice says that the answer broke off.
 * @throws the last voice's error when no attempt is left
 */
async function* speakChunk(
  chunk: TtsChunk,
  options: TtsPipelineOptions,
  progress: Progress,
): AsyncGenerator<SpokenChunk> {
  const onFault = (error: unknown) => options.onVoiceFault?.(error);
  const fallback = new ProviderFallback(progress.voices, onFault);
  progress.hasText = true;
  for (;;) {
    const voice = fallback.current;
    let hasSpoken = false;
    progress.onFirstChunk?.();
    progress.onFirstChunk = undefined;
    try {
      for await (const part of speakWith(voice, chunk, options)) {
        progress.onFirstAudio?.();
        progress.onFirstAudio = undefined;
        if (!hasSpoken) options.onVoice?.(voice);
        hasSpoken = true;
        if (part.samples.length > 0) progress.hasAudio = true;
        yield part;
      }
      return;
    } catch (error) {
      if (options.signal.aborted) throw error;
      const mayRetrySameVoice = !fallback.hasNext || canRetryVoice(options.quietMs?.() ?? 0);
      fallback.advance(error, !hasSpoken && !isTimeout(error) && mayRetrySameVoice);
      // A voice that hung or broke off does not speak the later chunks either.
      if (hasSpoken || isTimeout(error)) progress.voices = fallback.remaining;
      if (!hasSpoken) continue;
      yield { text: '', words: [], samples: new Float32Array(0), isBrokenOff: true };
      for (const notice of brokenOffNotice(options)) yield* speakChunk(notice, options, progress);
      return;
    }
  }
}

function brokenOffNotice(options: TtsPipelineOptions): readonly TtsChunk[] {
  const chunker = chunkerOf(options);
  return [...chunker.push(` ${stockPhrasesIn(options.language).brokenOff}`), ...chunker.flush()];
}

/** Text and word positions of the result refer to the reply as written, not as spoken. */
async function* speakWith(
  voice: TextToSpeech,
  { written, spoken, pronounced }: TtsChunk,
  options: TtsPipelineOptions,
): AsyncGenerator<SpokenChunk> {
  const { language, temperature, topP, sampleRate, signal, clock, quietMs } = options;
  const resampler =
    sampleRate === voice.sampleRate ? undefined : new Resampler(voice.sampleRate, sampleRate);
  const ratio = sampleRate / voice.sampleRate;
  const settings = { language, temperature, topP, seed: SEED, speed: 1 };
  const chunks = streamWithin(
    (work) =>
      voice.speak(
        { text: spoken.text, pronounced, ...settings },
        { signal: work, firstPriority: 'first-chunk' },
      ),
    {
      clock,
      signal,
      limitMs: () => voiceTimeoutMs(quietMs?.() ?? 0),
      message: VOICE_TIMEOUT_MESSAGE,
    },
  );
  let isFirst = true;
  for await (const { samples, words } of chunks) {
    yield {
      text: isFirst ? written : '',
      words: words.map((word) => ({
        ...spoken.origin(word.textStart, word.textEnd),
        startSample: word.startSample * ratio,
        endSample: word.endSample * ratio,
      })),
      samples: resampler ? resampled(resampler, samples) : samples,
    };
    isFirst = false;
  }
  if (resampler && !isFirst) yield { text: '', words: [], samples: resampled(resampler) };
}

/** Without samples: the rest that the resampler holds. */
function resampled(resampler: Resampler, samples?: Float32Array): Float32Array {
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  if (samples) resampler.push(samples, keep);
  else resampler.flush(keep);
  return concat(Float32Array, parts);
}
