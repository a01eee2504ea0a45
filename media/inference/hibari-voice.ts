import { join } from 'node:path';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type Utterance,
  type VoiceModel,
} from '../tts/voice-model.js';
import type { CpuPermits } from './cpu-permits.js';
import type { HibariFiles, HibariJobs } from './hibari-jobs.js';
import { LanedThread } from './laned-thread.js';
import { speakByJobs } from './piece-jobs.js';

export interface HibariVoiceOptions {
  readonly id: string;
  /** Folder of the model `hibari-heart`, with the data of the text front end. */
  readonly folder: string;
  /** Of another voice of the family; the default one lies in `folder`. */
  readonly modelFile?: string;
  readonly permits: CpuPermits;
  /** `us` if it is not given. */
  readonly dialect?: 'us' | 'gb';
}

/**
 * The neural English voices, on a worker thread of their own. The front end, the model and the signal
 * chain all run there; each piece is a job with a CPU permit, computed when it is asked for.
 */
export class HibariVoice implements VoiceModel {
  readonly id: string;
  readonly languages = ['en'];
  readonly sampleRate = 24_000;
  readonly #thread: LanedThread<HibariJobs>;
  #nextId = 1;

  constructor({ id, folder, modelFile, permits, dialect }: HibariVoiceOptions) {
    const files: HibariFiles = {
      folder,
      dialect: dialect ?? 'us',
      modelFile: modelFile ?? join(folder, 'hibari.onnx'),
    };
    this.id = id;
    const script = new URL('./hibari.worker.js', import.meta.url);
    this.#thread = new LanedThread({ script, workerData: files, permits });
  }

  /** Jobs that the thread has and has not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /** Utterances of which the thread keeps something. */
  open(): Promise<number> {
    return this.#thread.tell('count', null);
  }

  async *speak(utterance: Utterance, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    requireSpeakable(utterance, options);
    const { text, pronounced = [], temperature, topP, seed, speed } = utterance;
    const input = { id: this.#nextId++, text, pronounced, temperature, topP, seed, speed };
    yield* speakByJobs(this.#thread, input, options);
  }

  async warm(): Promise<void> {
    await this.#thread.run('warm', null, { priority: 'background' });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
