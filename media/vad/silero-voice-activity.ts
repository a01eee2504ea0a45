import type { WatchdogLimits } from '../runtime/watchdog.js';
import { WorkerThread } from '../runtime/worker-thread.js';
import { VAD_WINDOW, type VoiceActivity, type VoiceActivityStream } from './voice-activity.js';

export type SileroJobs = {
  readonly windows: {
    readonly input: {
      readonly ids: readonly number[];
      /** One window a line, one behind the other; room for more may follow. */
      readonly samples: Float32Array<ArrayBuffer>;
      readonly closed: readonly number[];
    };
    readonly output: {
      readonly probabilities: Float32Array<ArrayBuffer>;
      /** The input's buffer, to be filled again. */
      readonly samples: Float32Array<ArrayBuffer>;
    };
  };
};

/** Windows that may wait for one line: 13 s. Beyond it the oldest counts as silence, so time never drifts. */
const MAX_WAITING = 400;
/** All calls wait for the VAD: a worker that takes this long hangs. It loads in 0.1 s. */
const LIMITS: WatchdogLimits = { answerWithinMs: 2_000, startWithinMs: 20_000 };

/** Windows in one run: more are not quicker together. */
const MAX_CONCURRENT = 64;
/** So many lines are served window by window; of more, those that come within so long go together. */
const SMALL_BATCH_STREAMS = 4;
const GATHER_MS = 16;

interface Line {
  readonly id: number;
  /** Behind the one in the next batch. */
  readonly waiting: Float32Array[];
  /** Windows dropped before the oldest that waits; they count as silence when their turn comes. */
  dropped: number;
  readonly onWindow: (probability: number) => void;
  isInBatch: boolean;
  isClosed: boolean;
}

/** A window in a run, and how many dropped ones of its line come before it. */
interface BatchEntry {
  readonly line: Line;
  readonly droppedBefore: number;
}

/** The windows of the next run, one a line. */
interface Batch {
  readonly entries: BatchEntry[];
  readonly samples: Float32Array<ArrayBuffer>;
}

const WORKER = new URL('./silero.worker.js', import.meta.url);

export interface SileroOptions {
  readonly folder: string;
  /** Called when the model fails (the windows of that run count as silence) or an `onWindow` throws. */
  readonly onFault: (error: unknown) => void;
  /** The worker's program and its watchdog's limits, where a test has its own. */
  readonly script?: URL;
  readonly limits?: WatchdogLimits;
}

/**
 * The VAD on a thread of its own, outside the pool of permits: all lines that have a window waiting
 * go through the model in one run, which costs a third of a run for each.
 */
export class SileroVoiceActivity implements VoiceActivity {
  readonly #thread: WorkerThread<SileroJobs>;
  readonly #lines = new Map<number, Line>();
  readonly #closed: number[] = [];
  readonly #onFault: (error: unknown) => void;
  #nextId = 1;
  #next: Batch = newBatch();
  #isRunning = false;
  /** What the last run was given, to be filled again. */
  #spare: Float32Array<ArrayBuffer> | undefined;
  #ranAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;

  constructor({ folder, onFault, script = WORKER, limits = LIMITS }: SileroOptions) {
    this.#onFault = onFault;
    this.#thread = new WorkerThread(script, { folder }, limits);
  }

  /** Windows that had to count as silence because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  open(onWindow: (probability: number) => void): VoiceActivityStream {
    const id = this.#nextId++;
    const line: Line = { id, waiting: [], dropped: 0, onWindow, isInBatch: false, isClosed: false };
    this.#lines.set(id, line);
    return {
      push: (window) => {
        if (!line.isClosed) this.#take(line, window);
      },
      close: () => {
        line.isClosed = true;
        this.#lines.delete(id);
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

  #take(line: Line, window: Float32Array): void {
    if (!this.#add(line, window)) {
      if (line.waiting.length >= MAX_WAITING) {
        line.waiting.shift();
        line.dropped++;
        this.#dropped++;
      }
      line.waiting.push(window.slice());
    }
    this.#schedule();
  }

  /** Puts a window into the next batch, unless others of its line come first or there is no room. */
  #add(line: Line, window: Float32Array): boolean {
    const isNext = !line.isInBatch && line.waiting.length === 0;
    if (!isNext || this.#next.entries.length === MAX_CONCURRENT) return false;
    this.#put(line, window);
    return true;
  }

  #put(line: Line, window: Float32Array): void {
    const { entries, samples } = this.#next;
    samples.set(window, entries.length * VAD_WINDOW);
    entries.push({ line, droppedBefore: line.dropped });
    line.dropped = 0;
    line.isInBatch = true;
  }

  /** Runs at once if a line has a backlog. */
  #schedule(): void {
    const { entries } = this.#next;
    if (this.#isRunning || this.#timer || entries.length === 0) return;
    const waitMs = Math.ceil(this.#ranAt + GATHER_MS - performance.now());
    const isUrgent =
      waitMs <= 0 ||
      this.#lines.size <= SMALL_BATCH_STREAMS ||
      entries.length === MAX_CONCURRENT ||
      entries.some(({ line }) => line.waiting.length > 0);
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
    const ids = entries.map(({ line }) => line.id);
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
        entries.forEach(({ line, droppedBefore }, i) => {
          for (let k = 0; k < droppedBefore; k++) this.#emit(line, 0);
          this.#emit(line, probabilities[i]!);
        });
        this.#schedule();
      })
      .catch(this.#onFault);
  }

  /** A fault of one line's owner keeps no window from the others, nor the next ones from itself. */
  #emit(line: Line, probability: number): void {
    if (line.isClosed) return;
    try {
      line.onWindow(probability);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Begins the next batch with what waits behind the one that runs now. */
  #refill(running: readonly BatchEntry[]): void {
    for (const { line } of running) line.isInBatch = false;
    this.#next = newBatch(this.#spare);
    this.#spare = undefined;
    for (const line of this.#lines.values()) {
      if (this.#next.entries.length === MAX_CONCURRENT) return;
      const window = line.waiting.shift();
      if (window) this.#put(line, window);
    }
  }
}

function newBatch(samples = new Float32Array(MAX_CONCURRENT * VAD_WINDOW)): Batch {
  return { entries: [], samples };
}
