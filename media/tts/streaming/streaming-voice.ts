import { ModelThread, type ModelThreadOptions } from '../../runtime/model-thread.js';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type SynthesisRequest,
  type TextToSpeech,
} from '../text-to-speech.js';
import { type StreamingJobs, streamSpeech } from './streaming-jobs.js';

/**
 * A neural voice on its own worker thread. Each chunk is a job with a CPU permit and is computed when the
 * reader pulls it.
 */
export abstract class StreamingVoice<Utterance> implements TextToSpeech {
  abstract readonly id: string;
  abstract readonly languages: readonly string[];
  abstract readonly sampleRate: number;
  readonly #thread: ModelThread<StreamingJobs<Utterance>>;
  #nextId = 1;

  constructor(options: ModelThreadOptions) {
    this.#thread = new ModelThread(options);
  }

  /** Jobs that were sent to the thread and are not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /** Utterances with state in the thread. */
  countOpenUtterances(): Promise<number> {
    return this.#thread.runUnscheduled('count', null);
  }

  async *speak(request: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    requireSpeakable(request, options);
    const utterance = await this.utteranceOf(request, options);
    if (utterance) yield* streamSpeech(this.#thread, { id: this.#nextId++, utterance }, options);
  }

  async warm(): Promise<void> {
    await this.#thread.run('warm', null, { priority: 'background' });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  /** The worker's input for a request; undefined for a request without anything to speak. */
  protected abstract utteranceOf(
    request: SynthesisRequest,
    options: SpeakOptions,
  ): Promise<Utterance | undefined>;
}
