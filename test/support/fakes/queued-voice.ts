import { setTimeout as sleep } from 'node:timers/promises';
import { abortError } from '../../../media/errors.js';
import { type CpuScheduler, ThreadQueue } from '../../../media/runtime/cpu-scheduler.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
} from '../../../media/tts/text-to-speech.js';

export interface QueuedVoiceOptions {
  readonly scheduler: CpuScheduler;
  /** Duration of each chunk's job; `chunkMs` is the duration of its audio. */
  readonly costMs: number;
  readonly chunkMs: number;
}

/**
 * A voice without a model that queues for CPU permits and its thread like the neural voices: two
 * chunks of silence per word, one job per chunk.
 */
export class QueuedVoice implements TextToSpeech {
  readonly id = 'queued';
  readonly languages = ['en'];
  readonly sampleRate = 8000;
  /** The first word of the text of each job, in execution order. */
  readonly jobs: string[] = [];
  readonly #options: QueuedVoiceOptions;
  readonly #queue: ThreadQueue;

  constructor(options: QueuedVoiceOptions) {
    this.#options = options;
    this.#queue = new ThreadQueue(options.scheduler);
  }

  async *speak({ text }: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    const { chunkMs } = this.#options;
    const words = text.split(' ');
    for (let i = 0; i < 2 * words.length; i++) {
      const priority = i === 0 ? firstPriority : 'later-chunk';
      await this.#queue.use({ priority, dueAt: dueAt?.() }, () => this.#work(words[0]!), signal);
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
