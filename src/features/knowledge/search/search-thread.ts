import { WorkerThread } from '../../../../media/runtime/worker-thread.js';
import type { FoundPassages, PassageFinder, PassageQuery, WarningLog } from './hybrid-retriever.js';
import type { SearchJobs, SearchThreadData } from './search-protocol.js';
import type { KnowledgeVersion } from './vector-index.js';

const NO_KNOWLEDGE_BASE = 0;

/**
 * Finds passages on a worker thread with its own database connections, so that searches do not wait for
 * the frames of calls. Not scheduled by CpuScheduler, as a search takes only milliseconds. If the thread
 * dies, its searches fail and the next search restarts it.
 */
export class SearchThread implements PassageFinder {
  readonly #thread: WorkerThread<SearchJobs>;
  readonly #log: WarningLog;
  #nextSearch = 1;

  constructor(data: SearchThreadData, log: WarningLog) {
    this.#thread = new WorkerThread(new URL('./search.worker.js', import.meta.url), data);
    this.#log = log;
  }

  /** Starts and connects the thread before the first question. */
  warm(): void {
    this.versionOf(NO_KNOWLEDGE_BASE).catch(() => undefined); // the next search fails with the error
  }

  versionOf(kbId: number): Promise<KnowledgeVersion | undefined> {
    return this.#thread.run('version', { kbId });
  }

  async find(
    asked: PassageQuery,
    query: Promise<Float32Array | undefined>,
  ): Promise<FoundPassages> {
    const search = this.#nextSearch++;
    const finding = this.#thread.run('find', { search, asked }); // full-text search needs no vector
    query
      .then((vector) => this.#thread.run('query', { search, query: vector }))
      .catch(() => undefined); // `finding` fails with the error
    const { logLines, ...found } = await finding;
    for (const { fields, message } of logLines) this.#log.warn(fields, message);
    return found;
  }

  forget(kbId: number): void {
    // A thread that died has no memory to free.
    this.#thread.run('forget', { kbId }).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
