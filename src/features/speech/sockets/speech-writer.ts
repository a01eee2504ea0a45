import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { linkedAbort } from '../../../../media/async/linked-abort.js';
import type { AudioFormat } from '../../../../media/codec/encoder.js';
import type { SentenceFeed } from '../../../../media/text/sentence-feed.js';
import type { Synthesiser } from '../../../../media/tts/synthesiser.js';
import type { SynthesisRequest } from '../../../../media/tts/text-to-speech.js';
import { codePoints } from '../../../platform/http/validation/coerce.js';
import type { SpeechVoiceSettings } from '../speech.service.js';
import type { SpeechQuota } from '../speech-quota.js';
import { insufficientCredits, type SpeechCredits } from '../speech-quota.js';
import { Pacer } from './pacer.js';
import type { DeliveryMode } from './protocol.js';

/** Audio per message. Many clients accept at most 1 MB. */
const MAX_CHUNK_BYTES = 48 * 1_024;
/** Audio per message in paced mode. */
const PACED_CHUNK_MS = 100;

export interface SpeechWriterParts {
  readonly credits: SpeechCredits;
  readonly quota: SpeechQuota;
  readonly synthesiser: Synthesiser;
  readonly clock: Clock;
}

export interface SpeechWriterOptions {
  readonly accountId: string;
  readonly settings: SpeechVoiceSettings;
  readonly deliveryMode: DeliveryMode;
}

/** Sends one message of audio. Resolves when another one may be sent. */
export type WriteAudio = (audio: Uint8Array) => Promise<void>;

/** Speaks incrementally written texts, each as one file of the requested format. */
export class SpeechWriter {
  readonly #parts: SpeechWriterParts;
  readonly #options: SpeechWriterOptions;

  constructor(parts: SpeechWriterParts, options: SpeechWriterOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Speaks a text to its end. Counts for the quota from the first sentence, and charges each sentence
   * before it is spoken.
   * @throws MediaError ABORTED when the signal aborts
   * @throws ApiError OVERLOADED, RATE_LIMITED, INSUFFICIENT_CREDITS
   */
  async speak(feed: SentenceFeed, write: WriteAudio, signal: AbortSignal): Promise<void> {
    const stop = linkedAbort(signal);
    const sentences = feed.sentences(stop.signal);
    try {
      const first = await sentences.next();
      if (first.done) return;
      const free = this.#parts.quota.acquire(this.#options.accountId);
      try {
        await this.#write(prepend(first.value, sentences), write, stop.signal);
      } finally {
        free();
      }
    } finally {
      stop.abort();
      await sentences.return(undefined);
    }
  }

  async #write(
    sentences: AsyncGenerator<string>,
    write: WriteAudio,
    signal: AbortSignal,
  ): Promise<void> {
    const { settings, deliveryMode } = this.#options;
    const pieces = () => this.#charged(sentences);
    const bytesPerMs = deliveryMode === 'paced' ? bytesPerMsOf(settings.format) : undefined;
    const pacer = new Pacer(this.#parts.clock);
    const length = bytesPerMs === undefined ? MAX_CHUNK_BYTES : PACED_CHUNK_MS * bytesPerMs;
    for await (const piece of this.#parts.synthesiser.streamParts(settings, pieces, signal)) {
      for (let at = 0; at < piece.length; at += length) {
        const part = piece.subarray(at, at + length);
        if (bytesPerMs !== undefined) await pacer.wait(part.length / bytesPerMs, signal);
        await write(part);
      }
    }
  }

  async *#charged(sentences: AsyncGenerator<string>): AsyncGenerator<SynthesisRequest> {
    const { accountId, settings } = this.#options;
    for await (const text of sentences) {
      const paid = await this.#parts.credits.spendOnSpeech(accountId, codePoints(text));
      if (paid === undefined) throw insufficientCredits();
      yield settings.utterance(text);
    }
  }
}

/** Undefined for formats that cannot be split at any byte. */
function bytesPerMsOf({ bytesPerSample, sampleRate }: AudioFormat): number | undefined {
  return bytesPerSample === undefined ? undefined : (bytesPerSample * sampleRate) / 1000;
}

async function* prepend<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
