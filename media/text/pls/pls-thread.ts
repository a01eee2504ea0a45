import { inSlices } from '../../async/cooperative.js';
import { parsedJson, writtenJson } from '../../async/incremental-json.js';
import type { CpuScheduler } from '../../runtime/cpu-scheduler.js';
import { ModelThread } from '../../runtime/model-thread.js';
import type { PronunciationRule } from '../dictionary/pronunciation-rule.js';
import type { PlsFile, PlsJobs, PlsOutcome } from './pls-jobs.js';
import type { PronunciationLexicon } from './read-pls.js';

/** A thread of the lowest priority may get no CPU for a while. */
const IN_BACKGROUND = { answerWithinMs: 30_000 } as const;
const IN_SPARE_TIME = { priority: 'background' } as const;

/** Reads and writes lexicons on a thread of its own, when nothing else wants the CPU. */
export class PlsThread {
  readonly #thread: ModelThread<PlsJobs>;
  #nextId = 1;

  constructor(permits: CpuScheduler) {
    const script = new URL('./pls.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, permits, limits: IN_BACKGROUND });
  }

  /** Part by part, so that a large file keeps no caller waiting for the CPU. */
  async read(file: PlsFile): Promise<PlsOutcome> {
    const id = this.#nextId++;
    let outcome = await this.#thread.run('begin', { ...file, id }, IN_SPARE_TIME);
    while (!outcome) outcome = await this.#thread.run('next', { id }, IN_SPARE_TIME);
    if (outcome.type !== 'lexicon') return outcome;
    const { type, language, rulesJson } = outcome;
    const rules = (await inSlices(parsedJson(rulesJson))) as readonly PronunciationRule[];
    return { type, lexicon: { language, rules } };
  }

  async write({ language, rules }: PronunciationLexicon): Promise<string> {
    const rulesJson = await inSlices(writtenJson(rules));
    return this.#thread.run('write', { language, rulesJson }, IN_SPARE_TIME);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
