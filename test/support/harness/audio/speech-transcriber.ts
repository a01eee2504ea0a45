import { CpuPermits } from '../../../../media/inference/cpu-permits.js';
import { MoonshineRecogniser } from '../../../../media/inference/moonshine-recogniser.js';
import { Resampler } from '../../../../media/resample/resampler.js';
import { modelFolder } from '../process/model-folder.js';
import { joined } from './synthesised-speech.js';

/** Writes down what a caller heard. */
export class Listener {
  readonly #recogniser = new MoonshineRecogniser({
    id: 'moonshine-tiny-en',
    folder: modelFolder('moonshine-tiny-en'),
    permits: new CpuPermits(1),
  });

  /** @param samples at most 12 s. @returns in lower case */
  async transcribe(samples: Float32Array, sampleRate: number): Promise<string> {
    const resampler = new Resampler(sampleRate, 16_000);
    const parts: Float32Array[] = [];
    const keep = (part: Float32Array) => parts.push(part.slice());
    resampler.push(samples, keep);
    resampler.flush(keep);
    const text = await this.#recogniser.transcribe(joined(parts), { priority: 'background' });
    return text.toLowerCase();
  }

  close(): Promise<void> {
    return this.#recogniser.close();
  }
}
