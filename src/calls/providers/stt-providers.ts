import type { Logger } from 'pino';
import { DeepgramSpeechToText } from '../../../agents-runtime/providers/deepgram.js';
import { OpenAiTranscription } from '../../../agents-runtime/providers/openai-transcription.js';
import { FallbackSpeechToText } from '../../../agents-runtime/providers/stt-fallback.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { SpeechToText, StreamingSpeechToText } from '../../../media/stt/speech-to-text.js';
import type { Config } from '../../config/config.js';

export type SttProviderSettings = Pick<
  Config,
  | 'STT_BASE_URL'
  | 'STT_API_KEY'
  | 'STT_MODEL'
  | 'STT_LANGUAGES'
  | 'DEEPGRAM_API_KEY'
  | 'DEEPGRAM_BASE_URL'
  | 'DEEPGRAM_MODEL'
  | 'DEEPGRAM_LANGUAGES'
>;

/** Whether a remote provider recognises a language. */
export function hasSttProvider(config: SttProviderSettings, language: string): boolean {
  const { STT_BASE_URL, STT_LANGUAGES, DEEPGRAM_API_KEY, DEEPGRAM_LANGUAGES } = config;
  const hasBatch = STT_BASE_URL !== undefined && STT_LANGUAGES.includes(language);
  return hasBatch || (DEEPGRAM_API_KEY !== undefined && DEEPGRAM_LANGUAGES.includes(language));
}

/** Speech recognition of calls: the configured remote providers, with the local model as fallback. */
export class SttProviders {
  readonly #local: SpeechToText;
  readonly #remote: OpenAiTranscription | undefined;
  readonly #streaming: StreamingSpeechToText | undefined;
  readonly #streamingLanguages: readonly string[];
  readonly #log: Logger;

  constructor(local: SpeechToText, config: SttProviderSettings, log: Logger) {
    this.#local = local;
    this.#log = log;
    this.#streamingLanguages = config.DEEPGRAM_LANGUAGES;
    const { STT_BASE_URL: baseUrl, STT_API_KEY: apiKey, DEEPGRAM_API_KEY: deepgramKey } = config;
    this.#remote =
      baseUrl === undefined
        ? undefined
        : new OpenAiTranscription({
            baseUrl,
            apiKey,
            model: config.STT_MODEL,
            languages: config.STT_LANGUAGES,
          });
    this.#streaming =
      deepgramKey === undefined
        ? undefined
        : new DeepgramSpeechToText({
            baseUrl: config.DEEPGRAM_BASE_URL,
            apiKey: deepgramKey,
            model: config.DEEPGRAM_MODEL,
            clock: systemClock,
          });
  }

  /** Batch recognition. @param language ISO 639-1, or `auto` */
  speechToTextFor(language: string): SpeechToText {
    const all = this.#remote ? [this.#remote, this.#local] : [this.#local];
    const able = all.filter(({ languages }) => language === 'auto' || languages.includes(language));
    if (able.length === 1) return able[0]!;
    return new FallbackSpeechToText({
      recognisers: able,
      clock: systemClock,
      onFault: (err) =>
        this.#log.warn({ err }, 'speech recognition failed: another provider takes over'),
    });
  }

  /** Streaming recognition, if the settings name a provider for the language. */
  streamingFor(language: string): StreamingSpeechToText | undefined {
    return language === 'auto' || this.#streamingLanguages.includes(language)
      ? this.#streaming
      : undefined;
  }
}
