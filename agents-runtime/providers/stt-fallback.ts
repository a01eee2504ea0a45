import type {
  SpeechToText,
  TranscribeOptions,
  Transcription,
} from '../../media/stt/speech-to-text.js';
import type { Clock } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { ProviderFallback, requestWithin } from '../timing/provider-fallback.js';

/** Time limit of a recogniser that another one can replace; leaves that one time within the turn. */
const TIMEOUT_MS = 2_500;
/** A recogniser that failed is not used for this time, so that not every turn waits for it. */
const PAUSE_MS = 10_000;

export interface FallbackSpeechToTextOptions {
  /** In order of preference; those that do not support the language are skipped. */
  readonly recognisers: readonly SpeechToText[];
  readonly clock: Clock;
  /** Receives each failure that another recogniser follows. */
  readonly onFault: (error: unknown) => void;
}

/** Several recognisers as one: if one fails, the next transcribes. */
export class FallbackSpeechToText implements SpeechToText {
  readonly id: string;
  readonly languages: readonly string[];
  readonly #options: FallbackSpeechToTextOptions;
  readonly #pausedUntilMs = new Map<SpeechToText, number>();

  constructor(options: FallbackSpeechToTextOptions) {
    const { recognisers } = options;
    this.id = recognisers[0]?.id ?? 'none';
    this.languages = [...new Set(recognisers.flatMap(({ languages }) => languages))];
    this.#options = options;
  }

  get interimEveryMs(): number | undefined {
    return this.#available(undefined)[0]?.interimEveryMs;
  }

  /** @throws CallError RECOGNITION_FAILED if no recogniser supports the language; the last one's error */
  async transcribe(samples: Float32Array, options: TranscribeOptions): Promise<Transcription> {
    const { clock, onFault } = this.#options;
    const available = this.#available(options.language);
    if (available.length === 0) {
      const language = options.language ?? 'any language';
      throw new CallError('RECOGNITION_FAILED', `No recogniser supports ${language}`);
    }
    const fallback = new ProviderFallback(available, onFault);
    const { signal = new AbortController().signal } = options;
    for (;;) {
      const recogniser = fallback.current;
      const limit = {
        clock: fallback.hasNext ? clock : undefined,
        signal,
        limitMs: () => TIMEOUT_MS,
        message: `No words came in time (${recogniser.id})`,
      };
      try {
        return await requestWithin(
          (work) => recogniser.transcribe(samples, { ...options, signal: work }),
          limit,
        );
      } catch (error) {
        if (signal.aborted) throw error;
        this.#pausedUntilMs.set(recogniser, clock.now() + PAUSE_MS);
        fallback.advance(error, false);
      }
    }
  }

  /** Recognisers of the language that are not paused, and the last one in any case. */
  #available(language: string | undefined): readonly SpeechToText[] {
    const { recognisers, clock } = this.#options;
    const able = recognisers.filter(
      ({ languages }) => language === undefined || languages.includes(language),
    );
    const now = clock.now();
    const isAvailable = (each: SpeechToText, i: number) =>
      i === able.length - 1 || (this.#pausedUntilMs.get(each) ?? 0) <= now;
    return able.filter(isAvailable);
  }
}
