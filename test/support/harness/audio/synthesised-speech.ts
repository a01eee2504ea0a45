import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../../media/tts/hibari/hibari-voice.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import { modelFolder } from '../process/model-folder.js';

/** Synthesises texts with the default voice at 16 kHz. */
export class SpeechSynthesiser {
  readonly #voice: HibariVoice;

  constructor(scheduler: CpuScheduler) {
    this.#voice = new HibariVoice({
      id: 'hibari-heart',
      folder: modelFolder('hibari-heart'),
      scheduler,
    });
  }

  say(text: string): Promise<Float32Array<ArrayBuffer>> {
    return synthesise(this.#voice, text);
  }

  close(): Promise<void> {
    return this.#voice.close();
  }
}

/** Synthesises an English text at 16 kHz. */
export async function synthesise(
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
