import type { PreparedModelFiles } from '../models/prepared-model.js';
import type { WatchdogLimits } from '../runtime/watchdog.js';
import { WorkerThread } from '../runtime/worker-thread.js';
import { VAD_WINDOW, type VoiceActivity, type VoiceActivityStream } from './voice-activity.js';

/** Jobs of the worker. */
export type SileroJobs = {
  readonly windows: {
    readonly input: {
      /** Ids of the streams with a window in this run. */
      readonly ids: readonly number[];
      /** One window for each id, one after the other. The rest of the buffer is unused. */
      readonly samples: Float32Array<ArrayBuffer>;
      /** Ids of streams whose state is no longer needed after this run. */
      readonly closed: readonly number[];
    };
    readonly output: {
      /** One for each id, 0…1. */
      readonly probabilities: Float32Array<ArrayBuffer>;
      /** The input's buffer, for reuse. */
      readonly samples: Float32Array<ArrayBuffer>;
    };
  };
};

/**
 * Maximum number of waiting windows of a stream: 13 s. If more wait, the oldest is reported as silence, so
 * that the positions of the other windows stay correct.
 */
const MAX_WAITING = 400;
/** The limits are short because all calls wait for the VAD. It loads in 0.1 s. */
const LIMITS: WatchdogLimits = { replyTimeoutMs: 2_000, startTimeoutMs: 20_000 };

/** Maximum number of windows in one run: larger batches are not faster per window. */
const MAX_CONCURRENT = 64;
/** Up to this number of streams, each window runs at once. With more, the windows of `GATHER_MS` run together. */
const SMALL_BATCH_STREAMS = 4;
const GATHER_MS = 16;

interface SileroStream {
  readonly id: number;
  /** Windows that follow the one in the next batch. */
  readonly waiting: Float32Array[];
  /** Number of windows dropped before the oldest waiting one; they are reported as silence in order. */
  dropped: number;
  readonly onWindow: (probability: number) => void;
  isInBatch: boolean;
  isClosed: boolean;
}

/** A window in a run and the number of dropped windows before it. */
interface BatchEntry {
  readonly stream: SileroStream;
  readonly droppedBefore: number;
}

/** The windows of the next run, one for each stream. */
interface Batch {
  readonly entries: BatchEntry[];
  readonly samples: Float32Array<ArrayBuffer>;
}

const WORKER = new URL('./silero.worker.js', import.meta.url);

/** Files and error receiver of a `SileroVoiceActivity`. */
export interface SileroOptions extends PreparedModelFiles {
  /** Called when the model fails (the windows of that run count as silence) or an `onWindow` throws. */
  readonly onFault: (error: unknown) => void;
  /**
   * The worker's script and the limits of its watchdog; tests replace them. Default limits: 2 s, 20 s for the start.
   */
  readonly script?: URL;
  readonly limits?: WatchdogLimits;
}

/**
 * Runs the Silero VAD on a thread of its own, without CPU permits. One run of the model processes the waiting
 * windows of all streams, which takes a third of the time of one run per stream.
 */
export class SileroVoiceActivity implements VoiceActivity {
  readonly #thread: WorkerThread<SileroJobs>;
  readonly #streams = new Map<number, SileroStream>();
  readonly #closed: number[] = [];
  readonly #onFault: (error: unknown) => void;
  #nextId = 1;
  #next: Batch = newBatch();
  #isRunning = false;
  /** Buffer of the last run, for reuse. */
  #spare: Float32Array<ArrayBuffer> | undefined;
  #ranAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;

  constructor({ folder, preparedFolder, onFault, script, limits }: SileroOptions) {
    this.#onFault = onFault;
    const files: PreparedModelFiles = { folder, preparedFolder };
    this.#thread = new WorkerThread(script ?? WORKER, files, limits ?? LIMITS);
  }

  /** Number of windows that were reported as silence because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  open(onWindow: (probability: number) => void): VoiceActivityStream {
    const id = this.#nextId++;
    const stream: SileroStream = {
      id,
      waiting: [],
      dropped: 0,
      onWindow,
      isInBatch: false,
      isClosed: false,
    };
    this.#streams.set(id, stream);
    return {
      push: (window) => {
        if (!stream.isClosed) this.#push(stream, window);
      },
      close: () => {
        stream.isClosed = true;
        this.#streams.delete(id);
        this.#closed.push(id);
      },
    };
  }

  /** Loads the model and runs it once. */
  async warm(): Promise<void> {
    const { samples } = newBatch();
    await this.#thread.run('windows', { ids: [0], samples, closed: [] });
    await this.#thread.run('windows', { ids: [], samples, closed: [0] });
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#thread.close();
  }

  #push(stream: SileroStream, window: Float32Array): void {
    if (!this.#add(stream, window)) {
      if (stream.waiting.length >= MAX_WAITING) {
        stream.waiting.shift();
        stream.dropped++;
        this.#dropped++;
      }
      stream.waiting.push(window.slice());
    }
    this.#schedule();
  }

  /** Adds a window to the next batch, unless an earlier window of its stream waits or the batch is full. */
  #add(stream: SileroStream, window: Float32Array): boolean {
    const isNext = !stream.isInBatch && stream.waiting.length === 0;
    if (!isNext || this.#next.entries.length === MAX_CONCURRENT) return false;
    this.#put(stream, window);
    return true;
  }

  #put(stream: SileroStream, window: Float32Array): void {
    const { entries, samples } = this.#next;
    samples.set(window, entries.length * VAD_WINDOW);
    entries.push({ stream, droppedBefore: stream.dropped });
    stream.dropped = 0;
    stream.isInBatch = true;
  }

  /** Starts the next run, at once or after `GATHER_MS`. A stream with a backlog starts it at once. */
  #schedule(): void {
    const { entries } = this.#next;
    if (this.#isRunning || this.#timer || entries.length === 0) return;
    const waitMs = Math.ceil(this.#ranAt + GATHER_MS - performance.now());
    const isUrgent =
      waitMs <= 0 ||
      this.#streams.size <= SMALL_BATCH_STREAMS ||
      entries.length === MAX_CONCURRENT ||
      entries.some(({ stream }) => stream.waiting.length > 0);
    if (isUrgent) {
      this.#run();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, waitMs);
  }

  #run(): void {
    const { entries, samples } = this.#next;
    this.#isRunning = true;
    this.#ranAt = performance.now();
    this.#refill(entries);
    const ids = entries.map(({ stream }) => stream.id);
    this.#thread
      .run('windows', { ids, samples, closed: this.#closed.splice(0) }, [samples.buffer])
      .then(
        (output) => {
          this.#spare = output.samples;
          return output.probabilities;
        },
        (error: unknown) => {
          this.#onFault(error);
          return new Float32Array(entries.length);
        },
      )
      .then((probabilities) => {
        this.#isRunning = false;
        entries.forEach(({ stream, droppedBefore }, i) => {
          for (let k = 0; k < droppedBefore; k++) this.#emit(stream, 0);
          this.#emit(stream, probabilities[i]!);
        });
        this.#schedule();
      })
      .catch(this.#onFault);
  }

  /** Reports an exception of one stream's receiver, so that it does not affect the other streams. */
  #emit(stream: SileroStream, probability: number): void {
    if (stream.isClosed) return;
    try {
      stream.onWindow(probability);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Fills the next batch with the windows that wait while the current batch runs. */
  #refill(running: readonly BatchEntry[]): void {
    for (const { stream } of running) stream.isInBatch = false;
    this.#next = newBatch(this.#spare);
    this.#spare = undefined;
    for (const stream of this.#streams.values()) {
      if (this.#next.entries.length === MAX_CONCURRENT) return;
      const window = stream.waiting.shift();
      if (window) this.#put(stream, window);
    }
  }
}

function newBatch(samples = new Float32Array(MAX_CONCURRENT * VAD_WINDOW)): Batch {
  return { entries: [], samples };
}
