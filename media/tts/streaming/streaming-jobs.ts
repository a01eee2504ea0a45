import { abortError, MediaError } from '../../errors.js';
import type { Priority } from '../../runtime/cpu-scheduler.js';
import type { ModelJobOptions, ModelThread } from '../../runtime/model-thread.js';
import type { SpeakOptions, SpeechChunk, WordTime } from '../text-to-speech.js';

/** A stretch of an utterance's sound. */
export interface StreamedChunk {
  readonly samples: Float32Array<ArrayBuffer>;
  /** Words that begin with this piece; later ones may follow when a long text goes on. */
  readonly words: readonly WordTime[];
  /** Nothing follows, and the worker has forgotten the utterance. */
  readonly isLast: boolean;
}

/**
 * What the worker of a neural voice does. An utterance's id is chosen by the client, unique among the
 * worker's open utterances.
 */
export type StreamingJobs<Utterance extends { readonly id: number }> = {
  /** Loads everything and speaks a little to itself, so that the first caller finds it fast. */
  readonly warm: { readonly input: null; readonly output: null };
  readonly begin: { readonly input: Utterance; readonly output: StreamedChunk };
  readonly next: { readonly input: { readonly id: number }; readonly output: StreamedChunk };
  readonly cancel: { readonly input: { readonly id: number }; readonly output: null };
  /** How many utterances it keeps something of. */
  readonly count: { readonly input: null; readonly output: number };
};

/** How a job ended: kept until the utterance's reader asks for it. */
type Outcome =
  | { readonly type: 'piece'; readonly piece: StreamedChunk }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * Speaks an utterance piece by piece; each is a job with a CPU permit, computed when it is asked for.
 * @throws MediaError ABORTED when the signal fires; then no job of the utterance is left.
 */
export async function* streamSpeech<Utterance extends { readonly id: number }>(
  thread: ModelThread<StreamingJobs<Utterance>>,
  utterance: Utterance,
  { signal, firstPriority, dueAt }: SpeakOptions,
): AsyncGenerator<SpeechChunk> {
  const speech = new Speech(thread, utterance.id, { signal, dueAt });
  try {
    let coming = speech.begin(utterance, firstPriority);
    for (let isLast = false; !isLast; ) {
      const outcome = await coming;
      if (signal.aborted) throw abortError();
      if (outcome.type === 'failed') throw outcome.error;
      isLast = outcome.piece.isLast;
      const { samples, words } = outcome.piece;
      if (samples.length > 0) yield { samples, words };
      // Only now: what is done with these samples first needs the CPU more than the next ones do.
      if (!isLast) coming = speech.next();
    }
  } finally {
    await speech.close();
  }
}

/** The jobs of one utterance: one at a time, and none once it is closed or its signal has fired. */
class Speech<Utterance extends { readonly id: number }> {
  readonly #thread: ModelThread<StreamingJobs<Utterance>>;
  readonly #id: number;
  readonly #signal: AbortSignal;
  readonly #dueAt: SpeakOptions['dueAt'];
  readonly #stop = new AbortController();
  readonly #onAbort = () => void this.close();
  #last: Promise<Outcome> | undefined;
  /** The thread keeps something of the utterance. */
  #isKept = false;
  #closed: Promise<void> | undefined;

  constructor(
    thread: ModelThread<StreamingJobs<Utterance>>,
    id: number,
    { signal, dueAt }: Pick<SpeakOptions, 'signal' | 'dueAt'>,
  ) {
    this.#thread = thread;
    this.#id = id;
    this.#signal = signal;
    this.#dueAt = dueAt;
    // A reader that was told to stop may never come back to hear of it.
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  begin(utterance: Utterance, priority: Priority): Promise<Outcome> {
    return this.#settled(this.#thread.run('begin', utterance, this.#options(priority)));
  }

  next(): Promise<Outcome> {
    const options = this.#options('later-chunk');
    return this.#settled(this.#thread.run('next', { id: this.#id }, options));
  }

  /** Resolves when nothing of the utterance waits for a permit, runs, or is kept in the thread. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #options(priority: Priority): ModelJobOptions {
    return { priority, dueAt: this.#dueAt?.(), signal: this.#stop.signal };
  }

  #settled(job: Promise<StreamedChunk>): Promise<Outcome> {
    this.#last = job.then(
      (piece): Outcome => {
        this.#isKept = !piece.isLast;
        return { type: 'piece', piece };
      },
      (error: unknown): Outcome => {
        // A job that was stopped before it ran changed nothing; after a failure nothing is kept.
        if (!isAbort(error)) this.#isKept = false;
        return { type: 'failed', error };
      },
    );
    return this.#last;
  }

  async #end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
    await this.#last;
    if (!this.#isKept) return;
    try {
      await this.#thread.tell('cancel', { id: this.#id });
    } catch (error) {
      // With the thread went all that it kept.
      if (!(error instanceof MediaError && error.code === 'WORKER_DIED')) throw error;
    }
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof MediaError && error.code === 'ABORTED';
}
