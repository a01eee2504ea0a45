import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';
import { abortError, MediaError } from '../errors.js';
import type { Priority } from '../runtime/cpu-scheduler.js';
import { type ModelOptions, ModelThread } from '../runtime/model-thread.js';
import type { SpeechToText, Transcription } from './speech-to-text.js';

/** Jobs of the worker. */
export type MoonshineJobs = {
  readonly transcribe: {
    readonly input: { readonly samples: Float32Array };
    readonly output: string;
  };
};

/** Maximum input in samples: 12 s at 16 kHz. The model's transcripts of longer audio are unusable. */
const MAX_SAMPLES = 192_000;

/** Runs the English recogniser Moonshine on a worker thread. */
export class MoonshineSpeechToText implements SpeechToText {
  readonly id: string;
  readonly languages = ['en'];
  readonly #thread: ModelThread<MoonshineJobs>;

  constructor({ id, folder, scheduler }: ModelOptions) {
    this.id = id;
    const script = new URL('./moonshine.worker.js', import.meta.url);
    this.#thread = new ModelThread({
      script,
      workerData: { folder },
      scheduler,
      isStateless: true,
    });
  }

  async transcribe(
    samples: Float32Array,
    { priority, signal }: { readonly priority: Priority; readonly signal?: AbortSignal },
  ): Promise<Transcription> {
    const providerId = this.id;
    if (samples.length > MAX_SAMPLES) {
      throw new MediaError(
        'INVALID_INPUT',
        `The recogniser accepts at most 12 s of audio; got ${samples.length / CALLER_SAMPLE_RATE} s`,
      );
    }
    if (signal?.aborted) throw abortError();
    if (samples.length === 0) return { text: '', providerId };
    const text = await this.#thread.run('transcribe', { samples }, { priority, signal });
    return { text, providerId };
  }

  /** Loads the model and runs it on 1 s and 3 s of audio. */
  async warm(): Promise<void> {
    for (const seconds of [1, 3]) {
      const samples = new Float32Array(seconds * CALLER_SAMPLE_RATE);
      for (let i = 0; i < samples.length; i++) samples[i] = Math.sin(i / 9) * 0.1;
      await this.transcribe(samples, { priority: 'background' });
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
