import { VAD_WINDOW, type VoiceActivity, type VoiceActivityStream } from '../vad/voice-activity.js';
import { WorkerThread } from './worker-thread.js';

export type SileroJobs = {
  readonly windows: {
    readonly input: {
      readonly ids: readonly number[];
      /** One window a line, one behind the other. */
      readonly samples: Float32Array;
      readonly closed: readonly number[];
    };
    readonly output: Float32Array;
  };
};

/** Windows that may wait for one line: 13 s. Beyond it the oldest counts as silence, so time never drifts. */
const MOST_WAITING = 400;

interface Line {
  readonly id: number;
  readonly waiting: Float32Array[];
  readonly onWindow: (probability: number) => void;
  isClosed: boolean;
}

/**
 * The VAD on a thread of its own, outside the pool of permits: all lines that have a window waiting
 * go through the model in one run.
 */
export class SileroVoiceActivity implements VoiceActivity {
  readonly #thread: WorkerThread<SileroJobs>;
  readonly #lines = new Map<number, Line>();
  readonly #closed: number[] = [];
  readonly #onFault: (error: unknown) => void;
  #nextId = 1;
  #isRunning = false;
  #dropped = 0;

  /** @param onFault is told when the model fails; the windows of that run count as silence. */
  constructor({
    folder,
    onFault,
  }: {
    readonly folder: string;
    readonly onFault: (error: unknown) => void;
  }) {
    this.#onFault = onFault;
    this.#thread = new WorkerThread(new URL('./silero.worker.js', import.meta.url), { folder });
  }

  /** Windows that had to count as silence because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  open(onWindow: (probability: number) => void): VoiceActivityStream {
    const line: Line = { id: this.#nextId++, waiting: [], onWindow, isClosed: false };
    this.#lines.set(line.id, line);
    return {
      push: (window) => {
        if (line.isClosed) return;
        if (line.waiting.length >= MOST_WAITING) {
          line.waiting.shift();
          this.#dropped++;
          onWindow(0);
        }
        line.waiting.push(window.slice());
        this.#run();
      },
      close: () => {
        line.isClosed = true;
        this.#lines.delete(line.id);
        this.#closed.push(line.id);
      },
    };
  }

  /** Loads the model and runs it once. */
  async warm(): Promise<void> {
    const samples = new Float32Array(VAD_WINDOW);
    await this.#thread.run('windows', { ids: [0], samples, closed: [] });
    await this.#thread.run('windows', { ids: [], samples: new Float32Array(0), closed: [0] });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #run(): void {
    if (this.#isRunning) return;
    const ready = [...this.#lines.values()].filter(({ waiting }) => waiting.length > 0);
    if (ready.length === 0) return;
    this.#isRunning = true;
    const samples = new Float32Array(ready.length * VAD_WINDOW);
    ready.forEach(({ waiting }, i) => {
      samples.set(waiting.shift()!, i * VAD_WINDOW);
    });
    const ids = ready.map(({ id }) => id);
    this.#thread
      .run('windows', { ids, samples, closed: this.#closed.splice(0) }, [samples.buffer])
      .catch((error: unknown) => {
        this.#onFault(error);
        return new Float32Array(ready.length);
      })
      .then((probabilities) => {
        this.#isRunning = false;
        ready.forEach((line, i) => {
          if (!line.isClosed) line.onWindow(probabilities[i]!);
        });
        this.#run();
      })
      .catch(this.#onFault);
  }
}
