import { join } from 'node:path';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import { HibariVoice } from '../../media/inference/hibari-voice.js';
import type { Model } from '../../media/models/model.js';
import type { ModelStore } from '../../media/models/store.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import { type Formant, openFormant } from './formant-voices.js';

/** The voice that must be there: it speaks English where none is named. */
export const DEFAULT_VOICE = 'hibari-heart';

export interface VoiceParts {
  readonly store: ModelStore;
  readonly models: readonly Model[];
  readonly permits: CpuPermits;
  /** `off` leaves the formant engine out even where it is installed. */
  readonly formant: 'auto' | 'off';
}

/** All that can speak now. */
export interface OpenVoices {
  /** The default voice first; of each language the neural ones before the formant one. */
  readonly voices: readonly VoiceModel[];
  readonly formant: Formant | undefined;
  close(): Promise<void>;
}

/**
 * Opens every installed voice that an engine here can run.
 * @throws MediaError MODEL_MISSING when the default voice is not installed.
 */
export async function openVoices(parts: VoiceParts): Promise<OpenVoices> {
  const neural = await openHibariVoices(parts);
  const formant = parts.formant === 'off' ? undefined : openFormant(parts.permits);
  return {
    voices: [...neural, ...(formant?.voices ?? [])],
    formant,
    close: async () => {
      await Promise.all(neural.map((voice) => voice.close()));
      await formant?.close();
    },
  };
}

async function openHibariVoices(parts: VoiceParts): Promise<readonly VoiceModel[]> {
  const { store, models, permits } = parts;
  const folder = await store.require(DEFAULT_VOICE);
  const voices: VoiceModel[] = [new HibariVoice({ id: DEFAULT_VOICE, folder, permits })];
  for (const model of models) {
    if (model.engine !== 'hibari' || model.id === DEFAULT_VOICE) continue;
    const own = await store.locate(model.id);
    if (own === undefined) continue;
    const modelFile = join(own, model.files[0]!.name);
    const dialect = model.notes?.startsWith('British') ? 'gb' : 'us';
    voices.push(new HibariVoice({ id: model.id, folder, modelFile, permits, dialect }));
  }
  return voices;
}
