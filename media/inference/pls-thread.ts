import { inSlices } from '../stream/in-slices.js';
import { parsedJson, writtenJson } from '../stream/sliced-json.js';
import type { PronunciationRule } from '../tts/dictionary/pronunciation-rule.js';
import type { Lexicon } from '../tts/pls/read-pls.js';
import type { CpuPermits } from './cpu-permits.js';
import { LanedThread } from './laned-thread.js';
import type { PlsFile, PlsJobs, PlsOutcome } from './pls-jobs.js';

/** A thread of the lowest priority may get no CPU for a while. */
const IN_BACKGROUND = { answerWithinMs: 30_000 } as const;
const IN_SPARE_TIME = { priority: 'background' } as const;

/** Reads and writes lexicons on a thread of its own, when nothing else wants the CPU. */
export class PlsThread {
  readonly #thread: LanedThread<PlsJobs>;
  #nextId = 1;

  constructor(permits: CpuPermits) {
    const script = new URL('./pls.worker.js', import.meta.url);
    this.#thread = new LanedThread({ script, permits, limits: IN_BACKGROUND });
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

  async write({ language, rules }: Lexicon): Promise<string> {
    const rulesJson = await inSlices(writtenJson(rules));
    return this.#thread.run('write', { language, rulesJson }, IN_SPARE_TIME);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
