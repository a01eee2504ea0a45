import { join } from 'node:path';
import { abortError, MediaError } from '../errors.js';
import type { SpeakOptions, SpeechChunk, Utterance, VoiceModel } from '../tts/voice-model.js';
import type { CpuPermits, Priority } from './cpu-permits.js';
import type { HibariFiles, HibariJobs, HibariPiece } from './hibari-jobs.js';
import { WorkerLane } from './worker-lane.js';
import { WorkerThread } from './worker-thread.js';

/** Longest text of an utterance, in UTF-16 units. */
const LONGEST_TEXT = 20_000;

export interface HibariVoiceOptions {
  readonly id: string;
  /** Folder of the model `hibari-heart`, with the data of the text front end. */
  readonly folder: string;
  /** Of another voice of the family; the default one lies in `folder`. */
  readonly modelFile?: string;
  readonly permits: CpuPermits;
  /** `us` if it is not given. */
  readonly dialect?: 'us' | 'gb';
}

/** How a job ended: kept until the utterance's reader asks for it. */
type Outcome =
  | { readonly type: 'piece'; readonly piece: HibariPiece }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * The neural English voices, on a worker thread of their own. The front end, the model and the signal
 * chain all run there; each piece is a job with a CPU permit, computed when it is asked for.
 */
export class HibariVoice implements VoiceModel {
  readonly id: string;
  readonly languages = ['en'];
  readonly sampleRate = 24_000;
  readonly #thread: WorkerThread<HibariJobs>;
  readonly #lane: WorkerLane;
  #nextId = 1;

  constructor({ id, folder, modelFile, permits, dialect }: HibariVoiceOptions) {
    const files: HibariFiles = {
      folder,
      dialect: dialect ?? 'us',
      modelFile: modelFile ?? join(folder, 'hibari.onnx'),
    };
    this.id = id;
    this.#thread = new WorkerThread(new URL('./hibari.worker.js', import.meta.url), files);
    this.#lane = new WorkerLane(permits);
  }

  /** Jobs that the thread has and has not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /** Utterances of which the thread keeps something. */
  open(): Promise<number> {
    return this.#thread.run('count', null);
  }

  async *speak(utterance: Utterance, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority } = options;
    if (signal.aborted) throw abortError();
    if (utterance.text.length > LONGEST_TEXT) {
      throw new MediaError('INVALID_INPUT', `A text has more than ${LONGEST_TEXT} characters`);
    }
    const speech = new Speech(this.#thread, this.#lane, this.#nextId++, signal);
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

  async warm(): Promise<void> {
    await this.#lane.use('background', () => this.#thread.run('warm', null));
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

/** The jobs of one utterance: one at a time, and none once it is closed or its signal has fired. */
class Speech {
  readonly #thread: WorkerThread<HibariJobs>;
  readonly #lane: WorkerLane;
  readonly #id: number;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #onAbort = () => void this.close();
  #last: Promise<Outcome> | undefined;
  /** The thread keeps the utterance's spectra. */
  #isKept = false;
  #closed: Promise<void> | undefined;

  constructor(thread: WorkerThread<HibariJobs>, lane: WorkerLane, id: number, signal: AbortSignal) {
    this.#thread = thread;
    this.#lane = lane;
    this.#id = id;
    this.#signal = signal;
    // A reader that was told to stop may never come back to hear of it.
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  begin(utterance: Utterance, priority: Priority): Promise<Outcome> {
    const { text, pronounced = [], temperature, topP, seed, speed } = utterance;
    const input = { id: this.#id, text, pronounced, temperature, topP, seed, speed };
    return this.#start(priority, () => this.#thread.run('begin', input));
  }

  next(): Promise<Outcome> {
    return this.#start('later-chunk', () => this.#thread.run('next', { id: this.#id }));
  }

  /** Resolves when nothing of the utterance waits for a permit, runs, or is kept in the thread. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #start(priority: Priority, job: () => Promise<HibariPiece>): Promise<Outcome> {
    this.#last = this.#lane.use(priority, job, this.#stop.signal).then(
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
      await this.#thread.run('cancel', { id: this.#id });
    } catch (error) {
      // With the thread went all that it kept.
      if (!(error instanceof MediaError && error.code === 'WORKER_DIED')) throw error;
    }
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof MediaError && error.code === 'ABORTED';
}
