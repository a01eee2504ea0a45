import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../../media/stt/moonshine-speech-to-text.js';
import { modelFolder } from '../process/model-folder.js';

/** Transcribes what a caller heard. */
export class SpeechTranscriber {
  readonly #recogniser = new MoonshineSpeechToText({
    id: 'moonshine-tiny-en',
    folder: modelFolder('moonshine-tiny-en'),
    scheduler: new CpuScheduler(1),
  });

  /** @param samples at most 12 s @returns the text in lower case */
  async transcribe(samples: Float32Array, sampleRate: number): Promise<string> {
    const resampler = new Resampler(sampleRate, 16_000);
    const parts: Float32Array[] = [];
    const keep = (part: Float32Array) => parts.push(part.slice());
    resampler.push(samples, keep);
    resampler.flush(keep);
    const { text } = await this.#recogniser.transcribe(concat(Float32Array, parts), {
      priority: 'background',
    });
    return text.toLowerCase();
  }

  close(): Promise<void> {
    return this.#recogniser.close();
  }
}
