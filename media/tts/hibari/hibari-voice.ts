import { join } from 'node:path';
import type { CpuScheduler } from '../../runtime/cpu-scheduler.js';
import { ModelThread } from '../../runtime/model-thread.js';
import type { Pronounced } from '../../text/dictionary/dictionary.js';
import { type StreamingJobs, streamSpeech } from '../streaming/streaming-jobs.js';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type SynthesisRequest,
  type TextToSpeech,
} from '../text-to-speech.js';

/** Which files the worker of a voice reads. */
export interface HibariFiles {
  /** Folder with the data of the text front end. */
  readonly folder: string;
  readonly dialect: 'us' | 'gb';
  /** The acoustic model; a voice other than the default one reads the default one's text data. */
  readonly modelFile: string;
}

export interface HibariUtterance {
  /** Chosen by the client, unique among the worker's open utterances. */
  readonly id: number;
  readonly text: string;
  readonly pronounced: readonly Pronounced[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  readonly speed: number;
}

/** What the voice's worker does. */
export type HibariJobs = StreamingJobs<HibariUtterance>;

export interface HibariVoiceOptions {
  readonly id: string;
  /** Folder of the model `hibari-heart`, with the data of the text front end. */
  readonly folder: string;
  /** Of another voice of the family; the default one lies in `folder`. */
  readonly modelFile?: string;
  readonly permits: CpuScheduler;
  /** `us` if it is not given. */
  readonly dialect?: 'us' | 'gb';
}

/**
 * The neural English voices, on a worker thread of their own. The front end, the model and the signal
 * chain all run there; each piece is a job with a CPU permit, computed when it is asked for.
 */
export class HibariVoice implements TextToSpeech {
  readonly id: string;
  readonly languages = ['en'];
  readonly sampleRate = 24_000;
  readonly #thread: ModelThread<HibariJobs>;
  #nextId = 1;

  constructor({ id, folder, modelFile, permits, dialect }: HibariVoiceOptions) {
    const files: HibariFiles = {
      folder,
      dialect: dialect ?? 'us',
      modelFile: modelFile ?? join(folder, 'hibari.onnx'),
    };
    this.id = id;
    const script = new URL('./hibari.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, workerData: files, permits });
  }

  /** Jobs that the thread has and has not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /** Utterances of which the thread keeps something. */
  open(): Promise<number> {
    return this.#thread.tell('count', null);
  }

  async *speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    requireSpeakable(utterance, options);
    const { text, pronounced = [], temperature, topP, seed, speed } = utterance;
    const input = { id: this.#nextId++, text, pronounced, temperature, topP, seed, speed };
    yield* streamSpeech(this.#thread, input, options);
  }

  async warm(): Promise<void> {
    await this.#thread.run('warm', null, { priority: 'background' });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
