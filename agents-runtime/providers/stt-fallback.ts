import { linkedAbort } from '../../media/async/linked-abort.js';
import type { SpeechToText, TranscribeOptions } from '../../media/stt/speech-to-text.js';
import type { Clock } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { TIMED_OUT, withTimeout } from '../timing/timeout.js';

/** One that is silent for so long has failed, if another can hear instead before the turn is given up. */
const PATIENCE_MS = 2_500;
/** One that failed is not asked again for so long: each turn would wait for it. */
const REST_MS = 10_000;

export interface FallbackSpeechToTextOptions {
  /** In the order in which they are asked, as far as they know the language. */
  readonly recognisers: readonly SpeechToText[];
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** Several recognisers as one: where one fails, the next hears. */
export class FallbackSpeechToText implements SpeechToText {
  readonly id: string;
  readonly languages: readonly string[];
  readonly #options: FallbackSpeechToTextOptions;
  readonly #restsUntil = new Map<SpeechToText, number>();

  constructor(options: FallbackSpeechToTextOptions) {
    const { recognisers } = options;
    this.id = recognisers[0]?.id ?? 'none';
    this.languages = [...new Set(recognisers.flatMap(({ languages }) => languages))];
    this.#options = options;
  }

  get interimEveryMs(): number | undefined {
    return this.#awake(undefined)[0]?.interimEveryMs;
  }

  /** @throws CallError RECOGNITION_FAILED when nobody hears, and what the last one throws. */
  async transcribe(samples: Float32Array, options: TranscribeOptions): Promise<string> {
    const { clock, onFault } = this.#options;
    let failure: unknown = new CallError('RECOGNITION_FAILED', 'No recogniser is there');
    const awake = this.#awake(options.language);
    for (const recogniser of awake) {
      try {
        const isLast = recogniser === awake.at(-1);
        const text = await (isLast
          ? recogniser.transcribe(samples, options)
          : this.#askInTime(recogniser, samples, options));
        options.onRecogniser?.(recogniser.id);
        return text;
      } catch (error) {
        if (options.signal?.aborted) throw error;
        this.#restsUntil.set(recogniser, clock.now() + REST_MS);
        onFault(error);
        failure = error;
      }
    }
    throw failure;
  }

  async #askInTime(
    recogniser: SpeechToText,
    samples: Float32Array,
    options: TranscribeOptions,
  ): Promise<string> {
    const { signal = new AbortController().signal } = options;
    const work = linkedAbort(signal);
    try {
      const asked = recogniser.transcribe(samples, { ...options, signal: work.signal });
      const text = await withTimeout(asked, PATIENCE_MS, { clock: this.#options.clock, signal });
      if (text !== TIMED_OUT) return text;
      throw new CallError('RECOGNITION_FAILED', `No words came in time (${recogniser.id})`);
    } finally {
      work.abort();
    }
  }

  /** Those that are not resting; the last one never does. Of an unknown language all may know. */
  #awake(language: string | undefined): readonly SpeechToText[] {
    const { recognisers, clock } = this.#options;
    const able = recognisers.filter(
      ({ languages }) => language === undefined || languages.includes(language),
    );
    const now = clock.now();
    const isAwake = (each: SpeechToText, i: number) =>
      i === able.length - 1 || (this.#restsUntil.get(each) ?? 0) <= now;
    return able.filter(isAwake);
  }
}
