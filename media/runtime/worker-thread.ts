import { basename } from 'node:path';
import { type TransferListItem, Worker } from 'node:worker_threads';
import { MediaError, type MediaErrorCode } from '../errors.js';
import { Watchdog, type WatchdogLimits } from './watchdog.js';
import { type WorkerLoss, workerLosses } from './worker-loss.js';
import { END_THREAD, type JobMap, type JobReply, type WorkerMessage } from './worker-protocol.js';

/** Ten times the longest job of a model on a busy machine. */
const DEFAULT_REPLY_TIMEOUT_MS = 5_000;
/** Time to load a model from a slow disk. */
const DEFAULT_START_TIMEOUT_MS = 60_000;
/**
 * Time in ms in which a hung worker can end its thread between two jobs. Then the worker is terminated.
 * Termination during native code is dangerous: the ONNX runtime throws an exception that nothing catches,
 * and the process aborts.
 */
const HUNG_EXIT_TIMEOUT_MS = 30_000;
/** The same after the owner has closed the thread. */
const EXIT_TIMEOUT_MS = 2_000;

interface Pending {
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

/** A worker and its watchdog. */
interface Running {
  readonly worker: Worker;
  readonly watchdog: Watchdog;
}

/**
 * A worker thread that runs typed jobs. The first job starts it. If it dies or hangs, the pending jobs fail
 * with WORKER_DIED, the loss is published to `workerLosses`, and the next job starts a new worker. The class
 * takes no CPU permits; see `ModelThread`.
 */
export class WorkerThread<Jobs extends JobMap> {
  readonly #script: URL;
  readonly #workerData: unknown;
  readonly #limits: WatchdogLimits;
  readonly #pending = new Map<number, Pending>();
  #running: Running | undefined;
  #nextId = 1;
  #isClosed = false;
  /** Workers that received `END_THREAD` and still run. */
  readonly #ending = new Set<Worker>();

  /**
   * @param workerData - plain data for the worker
   * @param limits - default: 5 s for a reply and 60 s for the first one
   */
  constructor(script: URL, workerData: unknown, limits: Partial<WatchdogLimits> = {}) {
    this.#script = script;
    this.#workerData = workerData;
    this.#limits = {
      replyTimeoutMs: limits.replyTimeoutMs ?? DEFAULT_REPLY_TIMEOUT_MS,
      startTimeoutMs: limits.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS,
    };
  }

  /** Number of jobs that were sent to the worker and are not answered. */
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * Sends a job to the worker.
   * @param transfer - buffers of `input` that are transferred instead of copied; default: none
   * @throws MediaError WORKER_DIED, or the code of the job's error
   */
  run<Type extends keyof Jobs & string>(
    type: Type,
    input: Jobs[Type]['input'],
    transfer: readonly TransferListItem[] = [],
  ): Promise<Jobs[Type]['output']> {
    if (this.#isClosed) {
      return Promise.reject(new MediaError('WORKER_DIED', 'The worker thread is closed'));
    }
    const { worker, watchdog } = this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      watchdog.start();
      worker.postMessage({ id, type, input }, [...transfer]);
    });
  }

  /** Ends the thread between two jobs, or after 2 s. Pending and later jobs fail with WORKER_DIED. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    this.#running = undefined;
    running?.watchdog.stop();
    this.#rejectAll('The worker thread was closed');
    running?.worker.ref();
    // A worker that hangs does not process `END_THREAD`.
    const hung = [...this.#ending].map((worker) => worker.terminate());
    await Promise.all([running && this.#end(running.worker, EXIT_TIMEOUT_MS), ...hung]);
  }

  /**
   * Ends the thread at once, also during a job. Only for workers without native code; see
   * `HUNG_EXIT_TIMEOUT_MS`. Pending and later jobs fail with WORKER_DIED.
   */
  async terminate(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    this.#running = undefined;
    running?.watchdog.stop();
    this.#rejectAll('The worker thread was terminated');
    await Promise.all([running?.worker, ...this.#ending].map((worker) => worker?.terminate()));
  }

  /** Requests the end of the thread and terminates it after `withinMs`. Resolves when it has ended. */
  #end(worker: Worker, withinMs: number): Promise<void> {
    this.#ending.add(worker);
    return new Promise((resolve) => {
      const timer = setTimeout(() => void worker.terminate(), withinMs);
      timer.unref();
      worker.once('exit', () => {
        clearTimeout(timer);
        this.#ending.delete(worker);
        resolve();
      });
      worker.postMessage(END_THREAD);
    });
  }

  #start(): Running {
    if (this.#running) return this.#running;
    // Turns off the telemetry of the ONNX runtime. The runtime reads the environment of the process; a worker
    // has only a copy of it. Source: PosixTelemetry in onnxruntime 1.29 and newer.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    const worker = new Worker(this.#script, { workerData: this.#workerData });
    worker.unref();
    const watchdog = new Watchdog({
      ...this.#limits,
      isBusy: () => this.#pending.size > 0,
      onHung: () => {
        this.#lose(running, 'hung', undefined);
        void this.#end(worker, HUNG_EXIT_TIMEOUT_MS);
      },
    });
    const running = { worker, watchdog };
    let fault: unknown;
    worker.on('message', (message: WorkerMessage) => {
      watchdog.alive('ok' in message && message.ok);
      if ('ok' in message) this.#settle(message);
    });
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('exit', () => this.#lose(running, 'died', fault));
    this.#running = running;
    return running;
  }

  #lose(running: Running, reason: WorkerLoss['reason'], cause: unknown): void {
    if (this.#running !== running) return;
    this.#running = undefined;
    running.watchdog.stop();
    const loss: WorkerLoss = {
      worker: basename(this.#script.pathname, '.worker.js'),
      reason,
      cause,
    };
    workerLosses.publish(loss);
    this.#rejectAll(reason === 'hung' ? 'The worker thread hung' : 'The worker thread died', cause);
  }

  #settle(reply: JobReply): void {
    const pending = this.#pending.get(reply.id);
    if (!pending) return;
    this.#pending.delete(reply.id);
    if (reply.ok) pending.resolve(reply.output as never);
    else pending.reject(new MediaError(reply.code as MediaErrorCode, reply.message));
  }

  #rejectAll(message: string, cause?: unknown): void {
    for (const { reject } of this.#pending.values()) {
      reject(new MediaError('WORKER_DIED', message, { cause }));
    }
    this.#pending.clear();
  }
}
