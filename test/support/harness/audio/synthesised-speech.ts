import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../../media/tts/hibari/hibari-voice.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import { modelFolder } from '../process/model-folder.js';

/** Speaks texts by the default voice, at the recogniser's 16 kHz. */
export class Speaker {
  readonly #voice: HibariVoice;

  constructor(scheduler: CpuScheduler) {
    this.#voice = new HibariVoice({
      id: 'hibari-heart',
      folder: modelFolder('hibari-heart'),
      scheduler,
    });
  }

  say(text: string): Promise<Float32Array<ArrayBuffer>> {
    return spokenBy(this.#voice, text);
  }

  close(): Promise<void> {
    return this.#voice.close();
  }
}

/** Speaks an English text at the recogniser's 16 kHz. */
export async function spokenBy(
  voice: TextToSpeech,
  text: string,
  speed = 1,
): Promise<Float32Array<ArrayBuffer>> {
  const parts: Float32Array[] = [];
  const resampler = new Resampler(voice.sampleRate, 16_000);
  const keep = (part: Float32Array) => parts.push(part.slice());
  const utterance = { text, language: 'en', temperature: 1, topP: 0.8, seed: 1, speed };
  const { signal } = new AbortController();
  for await (const { samples } of voice.speak(utterance, {
    signal,
    firstPriority: 'first-chunk',
  })) {
    resampler.push(samples, keep);
  }
  resampler.flush(keep);
  return concat(Float32Array, parts);
}
