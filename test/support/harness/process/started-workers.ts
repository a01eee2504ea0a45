import type { Worker } from 'node:worker_threads';

/** The worker threads that this process has started since, so that a test can end one. */
export class StartedWorkers {
  readonly #workers: Worker[] = [];
  readonly #note = (worker: Worker) => this.#workers.push(worker);

  constructor() {
    process.on('worker', this.#note);
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Ends the one that was started last. */
  async terminateLast(): Promise<void> {
    await this.#workers.at(-1)!.terminate();
  }

  close(): void {
    process.off('worker', this.#note);
  }
}
