import { linkedAbort } from '../../media/async/linked-abort.js';
import type { Clock } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';
import { TIMED_OUT, withTimeout } from './timeout.js';

export interface TimeLimit {
  /** Undefined: no limit. */
  readonly clock: Clock | undefined;
  readonly signal: AbortSignal;
  /** Longest wait for the next result, in milliseconds. Called before each wait. */
  readonly limitMs: () => number;
  /** Message of the `TIMED_OUT` error. */
  readonly message: string;
}

/** Whether a provider failed because it gave no result in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof CallError && error.code === 'TIMED_OUT';
}

/**
 * One result of a provider. The provider's signal fires when the wait ends for any reason.
 * @throws CallError TIMED_OUT; MediaError ABORTED when `signal` fires; errors of the provider
 */
export async function requestWithin<T>(
  request: (signal: AbortSignal) => Promise<T>,
  limit: TimeLimit,
): Promise<T> {
  const work = linkedAbort(limit.signal);
  try {
    return await inTime(request(work.signal), limit);
  } finally {
    work.abort();
  }
}

/**
 * The results of a provider's stream, each within the time limit. The provider's signal fires when the
 * consumer stops or the stream fails.
 * @throws CallError TIMED_OUT; MediaError ABORTED when `signal` fires; errors of the provider
 */
export async function* streamWithin<T>(
  open: (signal: AbortSignal) => AsyncGenerator<T>,
  limit: TimeLimit,
): AsyncGenerator<T> {
  const work = linkedAbort(limit.signal);
  const results = open(work.signal);
  try {
    for (;;) {
      const next = await inTime(results.next(), limit);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    work.abort();
    // Not awaited: a generator that hangs in `next` never settles.
    void results.return(undefined).catch(() => undefined);
  }
}

async function inTime<T>(
  work: Promise<T>,
  { clock, signal, limitMs, message }: TimeLimit,
): Promise<T> {
  if (!clock) return work;
  const result = await withTimeout(work, limitMs(), { clock, signal });
  if (result === TIMED_OUT) throw new CallError('TIMED_OUT', message);
  return result;
}

/** The provider in use for one request, and the ones that replace it when it fails. */
export class ProviderFallback<P> {
  readonly #providers: readonly P[];
  readonly #onFault: (error: unknown) => void;
  #index = 0;
  #hasRetried = false;

  /**
   * @param providers - at least one, in order of preference
   * @param onFault - receives each failure that another attempt follows
   */
  constructor(providers: readonly P[], onFault: (error: unknown) => void) {
    this.#providers = providers;
    this.#onFault = onFault;
  }

  get current(): P {
    return this.#providers[this.#index]!;
  }

  get hasNext(): boolean {
    return this.#index < this.#providers.length - 1;
  }

  /** The current provider and those after it. */
  get remaining(): readonly P[] {
    return this.#providers.slice(this.#index);
  }

  /**
   * Selects the provider for the next attempt: the first provider once more, or the next one.
   * @param canRetry - whether the first provider may be asked again
   * @throws `error` if no attempt is left
   */
  advance(error: unknown, canRetry: boolean): void {
    const isRetry = canRetry && this.#index === 0 && !this.#hasRetried;
    if (!isRetry && !this.hasNext) throw error;
    if (isRetry) this.#hasRetried = true;
    else this.#index++;
    this.#onFault(error);
  }
}
