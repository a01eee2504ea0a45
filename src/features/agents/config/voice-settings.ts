import type { z } from 'zod';
import { LANGUAGES } from '../../../../media/languages.js';
import {
  float,
  int,
  model,
  oneOf,
  str,
} from '../../../platform/http/validation/schema-builders.js';
import {
  mergeSettings,
  presentSettings,
  type RuntimeContext,
  requestShape,
  responseShape,
  runtimeSettings,
  type SettingModels,
  type Settings,
  type StoredSettings,
} from './settings-table.js';

/** An agent's voice settings, which the overrides of a call can change. */
export const VOICE_SETTINGS = {
  voice_id: {
    schema: str({
      max: 200,
      description: 'Default: the default voice of the language.',
    }),
    default: null,
    runtime: 'voiceId',
    toRuntime: nullIfEmpty,
    doc: 'Id of a voice.',
  },
  language: {
    schema: oneOf([...LANGUAGES, 'auto'], {
      description: '`auto`: the language that the STT model detects, or English if it cannot.',
    }),
    override: oneOf(LANGUAGES),
    default: 'en',
    runtime: 'language',
    doc: 'ISO 639-1 code of the language of the call.',
  },
  temperature: {
    schema: float({ ge: 0, le: 2 }),
    default: 1.0,
    runtime: 'temperature',
    doc: 'Variation of the voice. 1 leaves the voice unchanged.',
  },
  top_p: {
    schema: float({ ge: 0, le: 1 }),
    default: 0.8,
    runtime: 'topP',
    doc: 'Nucleus sampling of the voice. 0.8 leaves the voice unchanged.',
  },
  dictionary_id: {
    schema: str({ max: 200 }),
    default: null,
    runtime: 'dictionaryId',
    toRuntime: nullIfEmpty,
    doc: 'Id of a pronunciation dictionary.',
  },
  dictionary_version: {
    schema: int({ ge: 1, description: 'Default: the current version.' }),
    default: null,
    runtime: 'dictionaryVersion',
    doc: 'Version of the dictionary.',
  },
} as const satisfies Settings;

/** An agent's voice settings in a request. */
export const TtsParamsInput = model(requestShape(VOICE_SETTINGS)).meta({ id: 'TtsParamsInput' });

/** An agent's voice settings in a response. */
export const TtsParams = model({
  ...responseShape(VOICE_SETTINGS),
  model: str({ description: 'The TTS model of the language.' }),
}).meta({ id: 'TtsParams' });
type TtsParams = z.output<typeof TtsParams>;

export type StoredVoice = StoredSettings<typeof VOICE_SETTINGS>;

export function mergeVoice(stored: StoredVoice | undefined, update: StoredVoice): StoredVoice {
  return mergeSettings(VOICE_SETTINGS, stored ?? {}, update);
}

export function presentVoice(stored: StoredVoice = {}, models: SettingModels): TtsParams {
  const model = models.ttsModelFor(stored.language ?? VOICE_SETTINGS.language.default);
  return { ...presentSettings(VOICE_SETTINGS, stored, models), model };
}

export function runtimeVoice(stored: StoredVoice | null, context: RuntimeContext) {
  return runtimeSettings(VOICE_SETTINGS, stored ?? {}, context);
}

function nullIfEmpty(text: string | null): string | null {
  return text || null;
}
