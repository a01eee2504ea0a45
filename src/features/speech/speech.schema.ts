import type { z } from 'zod';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { LANGUAGES } from '../../../media/languages.js';
import {
  float,
  int,
  model,
  oneOf,
  optionalShape,
  str,
} from '../../platform/http/validation/schema-builders.js';

export const SPEECH_DEFAULTS = {
  audio_format: 'mp3',
  temperature: 1,
  top_p: 0.8,
  language: 'en',
} as const;

/** Voice and audio fields of every speech request. */
export function audioFields(modelIds: readonly string[]) {
  return optionalShape(
    {
      voice_id: str({
        max: 200,
        description: 'Default: the default voice of the language.',
      }),
      audio_format: oneOf([...AUDIO_FORMATS.keys()], {
        description: 'mp3, wav and pcm are 32 kHz; pcm is signed 16 bit, little endian, mono.',
      }),
      temperature: float({ ge: 0, le: 2, description: '1 leaves the voice unchanged.' }),
      top_p: float({ ge: 0, le: 1, description: '0.8 leaves the voice unchanged.' }),
      model: oneOf(modelIds, { description: 'Default: the model of the language.' }),
      language: oneOf(LANGUAGES, { description: 'ISO 639-1' }),
      dictionary_id: str({ max: 200 }),
      dictionary_version: int({ ge: 1, description: 'Default: the current version.' }),
    },
    SPEECH_DEFAULTS,
  );
}
export type AudioRequest = z.output<z.ZodObject<ReturnType<typeof audioFields>>>;

/**
 * The body of both speech endpoints. The service checks the text length, which has its own error code.
 */
export function speechRequest(modelIds: readonly string[]) {
  return model({
    text: str({
      min: 1,
      allowNul: true,
      description: '`[SPELL:AB12]` spells its content character by character.',
    })
      .refine((text) => text.trim() !== '', 'text must not be blank')
      .meta({ pattern: '[^\\s\\ufeff]' }),
    ...audioFields(modelIds),
  }).meta({ id: 'SpeechRequest' });
}
export type SpeechRequest = z.output<ReturnType<typeof speechRequest>>;
