import { WorkerThread } from '../../../../media/runtime/worker-thread.js';
import type { FoundPassages, PassageFinder, PassageQuery, WarningLog } from './hybrid-retriever.js';
import type { SearchJobs, SearchThreadData } from './search-protocol.js';
import type { KnowledgeVersion } from './vector-index.js';

const NO_KNOWLEDGE_BASE = 0;

/**
 * Finds passages on a thread of its own with its own connections to the database: on the thread of
 * the calls' frames each step of a search would wait for them. It takes no permit, as a search is over
 * before one would be free. A thread that dies fails its searches and is started again by the next one.
 */
export class SearchThread implements PassageFinder {
  readonly #thread: WorkerThread<SearchJobs>;
  readonly #log: WarningLog;
  #nextSearch = 1;

  constructor(data: SearchThreadData, log: WarningLog) {
    this.#thread = new WorkerThread(new URL('./search.worker.js', import.meta.url), data);
    this.#log = log;
  }

  /** Starts the thread and connects it, so that the first question does not wait for that. */
  warm(): void {
    this.versionOf(NO_KNOWLEDGE_BASE).catch(() => undefined); // a search tells
  }

  versionOf(kbId: number): Promise<KnowledgeVersion | undefined> {
    return this.#thread.run('version', { kbId });
  }

  async find(
    asked: PassageQuery,
    query: Promise<Float32Array | undefined>,
  ): Promise<FoundPassages> {
    const search = this.#nextSearch++;
    const finding = this.#thread.run('find', { search, asked }); // words need no vector
    query
      .then((vector) => this.#thread.run('query', { search, query: vector }))
      .catch(() => undefined); // the search tells
    const { logLines, ...found } = await finding;
    for (const { fields, message } of logLines) this.#log.warn(fields, message);
    return found;
  }

  forget(kbId: number): void {
    // A thread that died has forgotten everything.
    this.#thread.run('forget', { kbId }).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
