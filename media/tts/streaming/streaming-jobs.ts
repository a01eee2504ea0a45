import { abortError, MediaError } from '../../errors.js';
import type { Priority } from '../../runtime/cpu-scheduler.js';
import type { ModelJobOptions, ModelThread } from '../../runtime/model-thread.js';
import type { SpeakOptions, SpeechChunk, WordTime } from '../text-to-speech.js';

/** A chunk of an utterance, as the worker returns it. */
export interface StreamedChunk {
  readonly samples: Float32Array<ArrayBuffer>;
  /** Words that start with this chunk or later; more may come with later chunks of a long text. */
  readonly words: readonly WordTime[];
  /** Nothing follows, and the worker has dropped its state of the utterance. */
  readonly isLast: boolean;
}

/** Input of `begin`. The client chooses the id, unique among the worker's open utterances. */
export interface StreamingInput<Utterance> {
  readonly id: number;
  readonly utterance: Utterance;
}

/** Jobs of a neural voice's worker. */
export type StreamingJobs<Utterance> = {
  /** Loads the voice and synthesises some utterances, so that the first caller does not wait for it. */
  readonly warm: { readonly input: null; readonly output: null };
  readonly begin: { readonly input: StreamingInput<Utterance>; readonly output: StreamedChunk };
  readonly next: { readonly input: { readonly id: number }; readonly output: StreamedChunk };
  readonly cancel: { readonly input: { readonly id: number }; readonly output: null };
  /** Number of utterances with state in the worker. */
  readonly count: { readonly input: null; readonly output: number };
};

/** Result of a job, kept until the utterance's reader pulls it. */
type Outcome =
  | { readonly type: 'chunk'; readonly chunk: StreamedChunk }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * Speaks an utterance chunk by chunk; each is a job with a CPU permit, computed when it is pulled.
 * @throws MediaError ABORTED when the signal fires; then no job of the utterance is left.
 */
export async function* streamSpeech<Utterance>(
  thread: ModelThread<StreamingJobs<Utterance>>,
  input: StreamingInput<Utterance>,
  { signal, firstPriority, dueAt }: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  const jobs = new UtteranceJobs(thread, input, { signal, dueAt });
  try {
    let pendingOutcome = jobs.begin(firstPriority);
    for (let isLast = false; !isLast; ) {
      const outcome = await pendingOutcome;
      if (signal.aborted) throw abortError();
      if (outcome.type === 'failed') throw outcome.error;
      isLast = outcome.chunk.isLast;
      const { samples, words } = outcome.chunk;
      if (samples.length > 0) yield { samples, words };
      // Not earlier: the reader's work on these samples is more urgent than the next ones.
      if (!isLast) pendingOutcome = jobs.next();
    }
  } finally {
    await jobs.close();
  }
}

/** The jobs of one utterance: one at a time, and none after `close` or after the signal has fired. */
class UtteranceJobs<Utterance> {
  readonly #thread: ModelThread<StreamingJobs<Utterance>>;
  readonly #input: StreamingInput<Utterance>;
  readonly #signal: AbortSignal;
  readonly #dueAt: SpeakOptions['dueAt'];
  readonly #stop = new AbortController();
  readonly #onAbort = () => void this.close();
  #newestOutcome: Promise<Outcome> | undefined;
  /** The thread has state of the utterance. */
  #isOpen = false;
  #closed: Promise<void> | undefined;

  constructor(
    thread: ModelThread<StreamingJobs<Utterance>>,
    input: StreamingInput<Utterance>,
    { signal, dueAt }: Pick<SpeakOptions, 'signal' | 'dueAt'>,
  ) {
    this.#thread = thread;
    this.#input = input;
    this.#signal = signal;
    this.#dueAt = dueAt;
    // A reader that aborts may never pull again, so its abort must close the jobs.
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  begin(priority: Priority): Promise<Outcome> {
    return this.#settled(this.#thread.run('begin', this.#input, this.#options(priority)));
  }

  next(): Promise<Outcome> {
    const options = this.#options('later-chunk');
    return this.#settled(this.#thread.run('next', { id: this.#input.id }, options));
  }

  /** Resolves when no job of the utterance waits or runs and the thread has no state of it. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #options(priority: Priority): ModelJobOptions {
    return { priority, dueAt: this.#dueAt?.(), signal: this.#stop.signal };
  }

  #settled(job: Promise<StreamedChunk>): Promise<Outcome> {
    this.#newestOutcome = job.then(
      (chunk): Outcome => {
        this.#isOpen = !chunk.isLast;
        return { type: 'chunk', chunk };
      },
      (error: unknown): Outcome => {
        // A job that was aborted before it ran changed nothing; after a failure the thread has no state.
        if (!hasCode(error, 'ABORTED')) this.#isOpen = false;
        return { type: 'failed', error };
      },
    );
    return this.#newestOutcome;
  }

  async #end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
    await this.#newestOutcome;
    if (!this.#isOpen) return;
    try {
      await this.#thread.runUnscheduled('cancel', { id: this.#input.id });
    } catch (error) {
      // The state was lost with the thread.
      if (!hasCode(error, 'WORKER_DIED')) throw error;
    }
  }
}

function hasCode(error: unknown, code: MediaError['code']): boolean {
  return error instanceof MediaError && error.code === code;
}
