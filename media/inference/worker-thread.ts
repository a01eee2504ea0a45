import { type TransferListItem, Worker } from 'node:worker_threads';
import { MediaError, type MediaErrorCode } from '../errors.js';
import type { JobMap, JobReply } from './protocol.js';

interface Pending {
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One worker thread that does tagged jobs. It starts with the first job and again with the first one
 * after its death; a death rejects the jobs that it held with WORKER_DIED. It takes no permit: the
 * owner of a job does that.
 */
export class WorkerThread<Jobs extends JobMap> {
  readonly #script: URL;
  readonly #workerData: unknown;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #nextId = 1;
  #closed = false;

  constructor(script: URL, workerData: unknown) {
    this.#script = script;
    this.#workerData = workerData;
  }

  /** Jobs sent and not yet answered. */
  get pending(): number {
    return this.#pending.size;
  }

  run<Type extends keyof Jobs & string>(
    type: Type,
    input: Jobs[Type]['input'],
    transfer: readonly TransferListItem[] = [],
  ): Promise<Jobs[Type]['output']> {
    if (this.#closed) {
      return Promise.reject(new MediaError('WORKER_DIED', 'The worker thread is closed'));
    }
    const worker = this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      worker.postMessage({ id, type, input }, [...transfer]);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#rejectAll('The worker thread was closed');
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    // Otherwise the ONNX runtime tells Microsoft which models run on what. It looks at the process's own
    // environment, of which a worker's is only a copy. Source: PosixTelemetry in onnxruntime 1.29 and newer.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    const worker = new Worker(this.#script, { workerData: this.#workerData });
    worker.unref();
    let fault: unknown;
    worker.on('message', (reply: JobReply) => this.#settle(reply));
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#rejectAll('The worker thread died', fault);
    });
    this.#worker = worker;
    return worker;
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
