import type { Worker } from 'node:worker_threads';

/** Records the worker threads started by this process, so that a test can terminate one. */
export class StartedWorkers {
  readonly #workers: Worker[] = [];
  readonly #recordWorker = (worker: Worker) => this.#workers.push(worker);

  constructor() {
    process.on('worker', this.#recordWorker);
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Terminates the worker that was started last. */
  async terminateLast(): Promise<void> {
    await this.#workers.at(-1)!.terminate();
  }

  close(): void {
    process.off('worker', this.#recordWorker);
  }
}
