import { AsyncQueue } from '../../media/async/async-queue.js';
import type { Clock } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { isTimeout, streamWithin } from '../timing/provider-fallback.js';
import { voiceTimeoutMs } from '../timing/silence-budget.js';
import type { SpokenChunk } from './spoken-text-alignment.js';
import {
  fixedTextTokens,
  synthesiseReply,
  type TtsPipelineOptions,
  type TtsSettings,
  VOICE_TIMEOUT_MESSAGE,
} from './tts-pipeline.js';

/** Maximum length of a cached text in UTF-16 units. Longer texts are synthesised each time. */
const MAX_CACHED_LENGTH = 500;
/** Maximum number of samples in the cache: 32 MB, more than five minutes at 24 kHz. */
const MAX_SAMPLES = 8_000_000;

/** Without a new chunk for this time, the voice counts as hung, and the next request synthesises the text again. */
const HUNG_MS = 10_000;

/** One text, synthesised once for any number of listeners. */
class CachedSpeech {
  readonly chunks: SpokenChunk[] = [];
  readonly work = new AbortController();
  samples = 0;
  isWhole = false;
  fault: unknown;
  #newestAt: number;
  readonly #clock: Clock;
  readonly #listeners: AsyncQueue<SpokenChunk>[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#newestAt = clock.now();
  }

  get hasHung(): boolean {
    return !this.isWhole && this.#clock.now() - this.#newestAt >= HUNG_MS;
  }

  async fill(source: AsyncGenerator<SpokenChunk>): Promise<void> {
    try {
      for await (const chunk of source) {
        this.chunks.push(chunk);
        this.samples += chunk.samples.length;
        this.#newestAt = this.#clock.now();
        for (const listener of this.#listeners) listener.push(chunk);
      }
      this.isWhole = true;
    } catch (error) {
      this.fault = error;
    }
    for (const listener of this.#listeners.splice(0)) this.#close(listener);
  }

  /** The whole speech: the chunks so far, then the others as they are made. Do not modify the samples. */
  listen(): AsyncGenerator<SpokenChunk> {
    const listener = new AsyncQueue<SpokenChunk>();
    for (const chunk of this.chunks) listener.push(chunk);
    if (this.isWhole || this.fault !== undefined) this.#close(listener);
    else this.#listeners.push(listener);
    return listener.read();
  }

  #close(listener: AsyncQueue<SpokenChunk>): void {
    if (this.isWhole) listener.close();
    else listener.fail(this.fault);
  }
}

/**
 * Caches the speech of greetings and other fixed phrases, which are the same in every call, so that they start
 * without synthesis. In the memory of this gateway. Removes the least recently used entries first.
 */
export class SpeechCache {
  readonly #entries = new Map<string, CachedSpeech>();
  /** Numbers that identify dictionary objects in cache keys. */
  readonly #dictionaries = new WeakMap<object, number>();
  #lastDictionary = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts to synthesise a text that is not cached. */
  preload(text: string, settings: TtsSettings): void {
    if (text.trim() !== '' && text.length <= MAX_CACHED_LENGTH) this.#cachedSpeech(text, settings);
  }

  /** @param signal - stops the synthesis of a text that is too long for the cache */
  speak(text: string, settings: TtsSettings, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    if (text.length > MAX_CACHED_LENGTH)
      return synthesiseReply(fixedTextTokens(text), { ...settings, signal });
    return this.#cachedSpeech(text, settings).listen();
  }

  #cachedSpeech(text: string, settings: TtsSettings): CachedSpeech {
    const key = this.#keyOf(text, settings);
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    if (known && !known.hasHung) {
      this.#entries.set(key, known);
      return known;
    }
    known?.work.abort();
    const speech = new CachedSpeech(this.#clock);
    this.#entries.set(key, speech);
    const { signal } = speech.work;
    void speech.fill(synthesiseReply(fixedTextTokens(text), { ...settings, signal })).then(() => {
      if (!speech.isWhole && this.#entries.get(key) === speech) {
        this.#entries.delete(key);
      }
      this.#makeRoom();
    });
    return speech;
  }

  #keyOf(text: string, { voice, dictionary, ...rest }: TtsSettings): string {
    if (dictionary && !this.#dictionaries.has(dictionary)) {
      this.#dictionaries.set(dictionary, ++this.#lastDictionary);
    }
    const number = dictionary && this.#dictionaries.get(dictionary);
    return JSON.stringify([text, voice.id, number ?? null, rest]);
  }

  #makeRoom(): void {
    let samples = 0;
    for (const speech of this.#entries.values()) samples += speech.samples;
    for (const [key, speech] of this.#entries) {
      if (samples <= MAX_SAMPLES) return;
      if (!speech.isWhole) continue;
      samples -= speech.samples;
      this.#entries.delete(key);
    }
  }
}

export interface FixedTextOptions extends TtsPipelineOptions {
  /** Time limit of the cached audio in milliseconds. Undefined: the voice's usual limit. */
  readonly maxWaitMs: number | undefined;
}

/**
 * Speaks a fixed text from the cache, or live if the cache fails before its first audio.
 * @throws CallError TIMED_OUT or SPEECH_FAILED if the voice failed and has no fallback; the last voice's
 *   error
 */
export async function* speakFixedText(
  cache: Pick<SpeechCache, 'speak'>,
  text: string,
  { maxWaitMs, ...options }: FixedTextOptions,
): AsyncGenerator<SpokenChunk> {
  const { voice, fallbackVoices = [], clock, signal, quietMs } = options;
  const { language, dictionary, temperature, topP, minSentenceLength, sampleRate } = options;
  const cached = streamWithin(
    (work) =>
      cache.speak(
        text,
        { voice, language, temperature, topP, minSentenceLength, sampleRate, dictionary },
        work,
      ),
    {
      clock,
      signal,
      limitMs: () => maxWaitMs ?? voiceTimeoutMs(quietMs?.() ?? 0),
      message: VOICE_TIMEOUT_MESSAGE,
    },
  );
  let hasSpoken = false;
  try {
    for await (const chunk of cached) {
      if (!hasSpoken) options.onVoice?.(voice);
      hasSpoken = true;
      yield chunk;
    }
  } catch (error) {
    const [first, ...others] = fallbackVoices;
    const cannotRetry = hasSpoken || (hasVoiceFailed(error) && !first);
    if (signal.aborted || cannotRetry) throw error;
    options.onVoiceFault?.(error);
    const voices =
      first && hasVoiceFailed(error) ? { voice: first, fallbackVoices: others } : undefined;
    yield* synthesiseReply(fixedTextTokens(text), { ...options, ...voices });
  }
}

/** The voice timed out, or gave no audio after a retry: asking it again would not help. */
function hasVoiceFailed(error: unknown): boolean {
  return isTimeout(error) || (error instanceof CallError && error.code === 'SPEECH_FAILED');
}
