import { join } from 'node:path';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import { HibariVoice } from '../../media/inference/hibari-voice.js';
import type { Model } from '../../media/models/model.js';
import type { ModelStore } from '../../media/models/store.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';

/** The voice that must be there: it speaks English where none is named. */
export const DEFAULT_VOICE = 'hibari-heart';

export interface VoiceParts {
  readonly store: ModelStore;
  readonly models: readonly Model[];
  readonly permits: CpuPermits;
}

/**
 * Opens every installed voice that an engine here can run, the default one first.
 * @throws MediaError MODEL_MISSING when the default voice is not installed.
 */
export async function openVoices(parts: VoiceParts): Promise<readonly VoiceModel[]> {
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
