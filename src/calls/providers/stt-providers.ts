import type { Logger } from 'pino';
import { DeepgramSpeechToText } from '../../../agents-runtime/providers/deepgram.js';
import { OpenAiTranscription } from '../../../agents-runtime/providers/openai-transcription.js';
import { FallbackSpeechToText } from '../../../agents-runtime/providers/stt-fallback.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { SpeechToText, StreamingSpeechToText } from '../../../media/stt/speech-to-text.js';
import type { Config } from '../../config/config.js';

/** A remote recogniser as the settings describe it. */
interface SttProvider<Recogniser> {
  /** ISO 639-1. */
  readonly languages: readonly string[];
  readonly create: () => Recogniser;
}

/** Reads one provider's settings. Undefined: the provider is not configured. */
type ReadProvider<Recogniser> = (config: Config) => SttProvider<Recogniser> | undefined;

/** In order of preference; the local model comes after them. */
const BATCH_PROVIDERS: readonly ReadProvider<SpeechToText>[] = [
  ({ STT_BASE_URL: baseUrl, STT_API_KEY: apiKey, STT_MODEL: model, STT_LANGUAGES: languages }) =>
    baseUrl === undefined
      ? undefined
      : {
          languages,
          create: () => new OpenAiTranscription({ baseUrl, apiKey, model, languages }),
        },
];

/** In order of preference; the first one that supports the language is used. */
const STREAMING_PROVIDERS: readonly ReadProvider<StreamingSpeechToText>[] = [
  ({
    DEEPGRAM_API_KEY: apiKey,
    DEEPGRAM_BASE_URL: baseUrl,
    DEEPGRAM_MODEL: model,
    DEEPGRAM_LANGUAGES: languages,
  }) =>
    apiKey === undefined
      ? undefined
      : {
          languages,
          create: () => new DeepgramSpeechToText({ baseUrl, apiKey, model, clock: systemClock }),
        },
];

/** Whether a remote provider supports a language. @param language - ISO 639-1 */
export function hasSttProvider(config: Config, language: string): boolean {
  return [...configured(BATCH_PROVIDERS, config), ...configured(STREAMING_PROVIDERS, config)].some(
    ({ languages }) => languages.includes(language),
  );
}

/** Whether calls in some language use streaming recognition. */
export function hasStreamingProvider(config: Config): boolean {
  return configured(STREAMING_PROVIDERS, config).length > 0;
}

/** The recognisers of calls: the configured remote providers, with the local model as fallback. */
export class SttProviders {
  readonly #batch: readonly SpeechToText[];
  readonly #streaming: readonly {
    readonly languages: readonly string[];
    readonly recogniser: StreamingSpeechToText;
  }[];
  readonly #log: Logger;

  constructor(local: SpeechToText, config: Config, log: Logger) {
    const batch = configured(BATCH_PROVIDERS, config).map(({ create }) => create());
    this.#batch = [...batch, local];
    this.#streaming = configured(STREAMING_PROVIDERS, config).map(({ languages, create }) => ({
      languages,
      recogniser: create(),
    }));
    this.#log = log;
  }

  /** Batch recognition. @param language - ISO 639-1, or `auto` */
  speechToTextFor(language: string): SpeechToText {
    const able = this.#batch.filter((each) => supports(each, language));
    if (able.length === 1) return able[0]!;
    return new FallbackSpeechToText({
      recognisers: able,
      clock: systemClock,
      onFault: (err) =>
        this.#log.warn({ err }, 'A speech recognition provider failed: the next one replaces it'),
    });
  }

  /** Streaming recognition, if a configured provider supports the language. @param language - ISO 639-1, or `auto` */
  streamingFor(language: string): StreamingSpeechToText | undefined {
    return this.#streaming.find((each) => supports(each, language))?.recogniser;
  }
}

function configured<Recogniser>(
  providers: readonly ReadProvider<Recogniser>[],
  config: Config,
): readonly SttProvider<Recogniser>[] {
  return providers.flatMap((read) => read(config) ?? []);
}

function supports(
  { languages }: { readonly languages: readonly string[] },
  language: string,
): boolean {
  return language === 'auto' || languages.includes(language);
}
