import { runInSteps } from '../../async/cooperative.js';
import { parseJsonInSteps, stringifyInSteps } from '../../async/incremental-json.js';
import type { CpuScheduler } from '../../runtime/cpu-scheduler.js';
import { ModelThread } from '../../runtime/model-thread.js';
import { BACKGROUND_WATCHDOG_LIMITS } from '../../runtime/watchdog.js';
import type { PronunciationRule } from '../dictionary/pronunciation-rule.js';

import type { PlsLimits } from './lexeme-reader.js';
import type { PronunciationLexicon } from './read-pls.js';

/** A lexicon file to read. */
export interface PlsFile {
  readonly bytes: Uint8Array;
  readonly limits: PlsLimits;
  /** Accepted languages of the lexicon, ISO 639-1. */
  readonly languages: readonly string[];
}

/** A lexicon, or the position and reason of an error. */
export type PlsOutcome =
  | { readonly type: 'lexicon'; readonly lexicon: PronunciationLexicon }
  | {
      readonly type: 'fault';
      readonly sentence: string;
      readonly line: number;
      readonly column: number;
    };

/** `PlsOutcome` as a message between threads. The rules are JSON text, which is fast to receive. */
export type PlsReply =
  | { readonly type: 'lexicon'; readonly language: string; readonly rulesJson: string }
  | Exclude<PlsOutcome, { readonly type: 'lexicon' }>;

/** Jobs of the PLS worker. */
export type PlsJobs = {
  /**
   * Opens a file under an id that the client chooses, and reads the first part. Returns null until the end of the
   * file.
   */
  readonly begin: {
    readonly input: PlsFile & { readonly id: number };
    readonly output: PlsReply | null;
  };
  /** Reads the next part. The worker drops its state of the file when it returns an outcome. */
  readonly next: { readonly input: { readonly id: number }; readonly output: PlsReply | null };
  readonly write: {
    readonly input: { readonly language: string; readonly rulesJson: string };
    readonly output: string;
  };
};

const IN_SPARE_TIME = { priority: 'background' } as const;

/** Reads and writes lexicons on a worker thread with background priority. */
export class PlsThread {
  readonly #thread: ModelThread<PlsJobs>;
  #nextId = 1;

  constructor(scheduler: CpuScheduler) {
    const script = new URL('./pls.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, scheduler, limits: BACKGROUND_WATCHDOG_LIMITS });
  }

  /**
   * Reads a lexicon in parts, so that a large file does not delay other jobs.
   * @throws MediaError WORKER_DIED; errors in the file are an outcome
   */
  async read(file: PlsFile): Promise<PlsOutcome> {
    const id = this.#nextId++;
    let outcome = await this.#thread.run('begin', { ...file, id }, IN_SPARE_TIME);
    while (!outcome) outcome = await this.#thread.run('next', { id }, IN_SPARE_TIME);
    if (outcome.type !== 'lexicon') return outcome;
    const { type, language, rulesJson } = outcome;
    const rules = (await runInSteps(parseJsonInSteps(rulesJson))) as readonly PronunciationRule[];
    return { type, lexicon: { language, rules } };
  }

  /** Returns the lexicon as PLS; see `writePls`. @throws MediaError WORKER_DIED */
  async write({ language, rules }: PronunciationLexicon): Promise<string> {
    const rulesJson = await runInSteps(stringifyInSteps(rules));
    return this.#thread.run('write', { language, rulesJson }, IN_SPARE_TIME);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
