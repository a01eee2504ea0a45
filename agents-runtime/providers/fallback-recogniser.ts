import type { Recogniser, TranscribeOptions } from '../../media/inference/recogniser.js';
import { linkedAbort } from '../../media/stream/linked-abort.js';
import { LATE, within } from '../agent/within.js';
import type { Clock } from '../clock.js';
import { CallError } from '../errors.js';

/** One that is silent for so long has failed, if another can hear instead before the turn is given up. */
const PATIENCE_MS = 2_500;
/** One that failed is not asked again for so long: each turn would wait for it. */
const REST_MS = 10_000;

export interface FallbackRecogniserOptions {
  /** In the order in which they are asked, as far as they know the language. */
  readonly recognisers: readonly Recogniser[];
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** Several recognisers as one: where one fails, the next hears. */
export class FallbackRecogniser implements Recogniser {
  readonly id: string;
  readonly languages: readonly string[];
  readonly #options: FallbackRecogniserOptions;
  readonly #restsUntil = new Map<Recogniser, number>();

  constructor(options: FallbackRecogniserOptions) {
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
    recogniser: Recogniser,
    samples: Float32Array,
    options: TranscribeOptions,
  ): Promise<string> {
    const { signal = new AbortController().signal } = options;
    const work = linkedAbort(signal);
    try {
      const asked = recogniser.transcribe(samples, { ...options, signal: work.signal });
      const text = await within(asked, PATIENCE_MS, { clock: this.#options.clock, signal });
      if (text !== LATE) return text;
      throw new CallError('RECOGNITION_FAILED', `No words came in time (${recogniser.id})`);
    } finally {
      work.abort();
    }
  }

  /** Those that are not resting; the last one never does. Of an unknown language all may know. */
  #awake(language: string | undefined): readonly Recogniser[] {
    const { recognisers, clock } = this.#options;
    const able = recognisers.filter(
      ({ languages }) => language === undefined || languages.includes(language),
    );
    const now = clock.now();
    const isAwake = (each: Recogniser, i: number) =>
      i === able.length - 1 || (this.#restsUntil.get(each) ?? 0) <= now;
    return able.filter(isAwake);
  }
}
