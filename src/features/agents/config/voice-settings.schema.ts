import type { z } from 'zod';
import { LANGUAGES } from '../../../../media/languages.js';
import {
  float,
  int,
  model,
  oneOf,
  str,
} from '../../../platform/http/validation/schema-builders.js';
import { nullableShape, optionalShape } from './secret-fields.js';

export const TTS_DEFAULTS = {
  voice_id: null,
  language: 'en',
  temperature: 1.0,
  top_p: 0.8,
  dictionary_id: null,
  dictionary_version: null,
} as const;

const FIELDS = {
  voice_id: str({ max: 200, description: 'Without one the default voice of the language speaks.' }),
  language: oneOf([...LANGUAGES, 'auto'], {
    description: '`auto` is the language that the recogniser detects, English where it cannot.',
  }),
  temperature: float({ ge: 0, le: 2 }),
  top_p: float({ ge: 0, le: 1 }),
  dictionary_id: str({ max: 200 }),
  dictionary_version: int({ ge: 1, description: 'Without one the current version is used.' }),
};

/** An agent's voice settings in a request. */
export const TtsParamsInput = model(optionalShape(FIELDS, TTS_DEFAULTS)).meta({
  id: 'TtsParamsInput',
});
export type TtsParamsInput = z.output<typeof TtsParamsInput>;

/** An agent's voice settings in an answer. */
export const TtsParams = model({
  ...nullableShape(FIELDS),
  model: str({ description: 'The TTS model that the language asks for.' }),
}).meta({ id: 'TtsParams' });
export type TtsParams = z.output<typeof TtsParams>;
