import { Worker } from 'node:worker_threads';
import type { DispatchThreadData, FromDispatch, ToDispatch } from './dispatch-messages.js';
import type { Assignment, WorkerState } from './worker-connection.js';
import type { JobAnswer, WorkerJob } from './worker-protocol.js';

/** Interval of state messages. */
const STATE_MS = 1_000;
const RESTART_AFTER_MS = 1_000;
/** Time to close the connection before the thread is terminated. */
const CLOSE_WITHIN_MS = 1_000;

export interface DispatchThreadOptions extends DispatchThreadData {
  /** Creates an access token of a worker. */
  readonly token: () => Promise<string>;
  readonly state: () => WorkerState;
  /** Decides whether to accept a job. LiveKit ignores a late answer. */
  readonly onAsked: (job: WorkerJob) => Promise<JobAnswer>;
  readonly onAssigned: (assignment: Assignment) => void;
  readonly onTerminated: (jobId: string) => void;
  readonly onUp: (serverVersion: string) => void;
  readonly onDown: (why: string) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Registers the gateway as a worker for LiveKit's dispatch. The connection has a separate thread, so that a
 * gateway whose main thread hangs reports itself full and refuses jobs until it responds again.
 */
export class DispatchThread {
  readonly #options: DispatchThreadOptions;
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isUp = false;
  #isClosed = false;

  constructor(options: DispatchThreadOptions) {
    this.#options = options;
  }

  /** Registered with LiveKit and connected. */
  get isUp(): boolean {
    return this.#isUp;
  }

  start(): void {
    this.#timer = setInterval(() => this.reportState(), STATE_MS).unref();
    this.#open();
  }

  /** Sends the worker's state to LiveKit if it has changed. */
  reportState(): void {
    this.#post({ type: 'state', state: this.#options.state() });
  }

  /** Reports the status of a job. Lost while LiveKit is disconnected, but so is the job. */
  reportJob(jobId: string, status: 'running' | 'success' | 'failed', error?: string): void {
    this.#post({ type: 'job', jobId, status, error });
  }

  /** Idempotent. Joined rooms are not affected. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isUp = false;
    clearInterval(this.#timer);
    clearTimeout(this.#restart);
    const thread = this.#thread;
    if (!thread) return;
    const limit = setTimeout(() => void thread.terminate(), CLOSE_WITHIN_MS);
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    this.#post({ type: 'close' });
    await ended;
    clearTimeout(limit);
  }

  #open(): void {
    const { url, agentName, onFault } = this.#options;
    const workerData: DispatchThreadData = { url, agentName };
    const thread = new Worker(new URL('./dispatch.worker.js', import.meta.url), { workerData });
    this.#thread = thread;
    thread.unref();
    thread.on('error', onFault);
    thread.on('message', (message: FromDispatch) => this.#onMessage(thread, message));
    thread.on('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      if (this.#isClosed) return;
      this.#isUp = false;
      this.#options.onDown('its thread ended');
      this.#restart = setTimeout(() => this.#open(), RESTART_AFTER_MS).unref();
    });
    this.reportState();
  }

  #onMessage(thread: Worker, message: FromDispatch): void {
    if (this.#thread !== thread || this.#isClosed) return;
    const { onAssigned, onTerminated, onUp, onDown, onFault } = this.#options;
    switch (message.type) {
      case 'token-wanted':
        void this.#sendToken(message.id);
        return;
      case 'asked':
        void this.#answer(message.id, message.job);
        return;
      case 'assigned':
        onAssigned(message.assignment);
        return;
      case 'terminated':
        onTerminated(message.jobId);
        return;
      case 'up':
        this.#isUp = true;
        onUp(message.serverVersion);
        return;
      case 'down':
        this.#isUp = false;
        onDown(message.why);
        return;
      case 'fault':
        onFault(message.error);
    }
  }

  async #sendToken(id: number): Promise<void> {
    let token: string | undefined;
    try {
      token = await this.#options.token();
    } catch (error) {
      this.#options.onFault(error);
    }
    this.#post({ type: 'token', id, token });
  }

  async #answer(id: number, job: WorkerJob): Promise<void> {
    let answer: JobAnswer = { type: 'no' };
    try {
      answer = await this.#options.onAsked(job);
    } catch (error) {
      this.#options.onFault(error);
    }
    this.#post({ type: 'answer', id, answer });
  }

  #post(message: ToDispatch): void {
    this.#thread?.postMessage(message);
  }
}
