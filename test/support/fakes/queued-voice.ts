import { setTimeout as sleep } from 'node:timers/promises';
import { abortError } from '../../../media/errors.js';
import type { CpuPermits } from '../../../media/inference/cpu-permits.js';
import { WorkerLane } from '../../../media/inference/worker-lane.js';
import type {
  SpeakOptions,
  SpeechChunk,
  Utterance,
  VoiceModel,
} from '../../../media/tts/voice-model.js';

export interface LanedVoiceOptions {
  readonly permits: CpuPermits;
  /** How long each chunk's job takes, and its audio lasts. */
  readonly costMs: number;
  readonly chunkMs: number;
}

/**
 * A voice without a model that waits for permit and thread as the neural ones do: two chunks of
 * silence a word, each a job.
 */
export class LanedVoice implements VoiceModel {
  readonly id = 'laned';
  readonly languages = ['en'];
  readonly sampleRate = 8000;
  /** The first word of the text that each job was for, in the order in which they ran. */
  readonly jobs: string[] = [];
  readonly #options: LanedVoiceOptions;
  readonly #lane: WorkerLane;

  constructor(options: LanedVoiceOptions) {
    this.#options = options;
    this.#lane = new WorkerLane(options.permits);
  }

  async *speak({ text }: Utterance, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    const { chunkMs } = this.#options;
    const words = text.split(' ');
    for (let i = 0; i < 2 * words.length; i++) {
      const priority = i === 0 ? firstPriority : 'later-chunk';
      await this.#lane.use({ priority, dueAt: dueAt?.() }, () => this.#work(words[0]!), signal);
      if (signal.aborted) throw abortError();
      yield { samples: new Float32Array((this.sampleRate * chunkMs) / 1000), words: [] };
    }
  }

  async warm(): Promise<void> {
    // There is nothing to load.
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }

  async #work(name: string): Promise<void> {
    this.jobs.push(name);
    await sleep(this.#options.costMs);
  }
}
