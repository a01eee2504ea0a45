import { HIBARI_VOICE_MODELS } from './hibari-voices.js';
import type { Model } from './model.js';
import { PACKAGED_MODELS } from './packaged-models.js';
import { PIPER_VOICE_MODELS } from './piper-voices.js';

/** All models that the store can install, the default set first. */
export const MODEL_CATALOGUE: readonly Model[] = [
  ...PACKAGED_MODELS,
  ...HIBARI_VOICE_MODELS,
  ...PIPER_VOICE_MODELS,
];

/** Ids of the models that the first start downloads. */
export const DEFAULT_MODEL_IDS: readonly string[] = MODEL_CATALOGUE.filter(
  (model) => model.isDefault,
).map((model) => model.id);

/** The catalogue's entry for an id, or undefined. */
export function findModel(id: string): Model | undefined {
  return MODEL_CATALOGUE.find((model) => model.id === id);
}
