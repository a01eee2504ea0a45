import type { z } from 'zod';
import { bool, int, list, model, oneOf, str } from '../http/fields.js';

export const VOICE_STATUSES = ['PENDING', 'PROCESSING', 'AVAILABLE', 'FAILED'] as const;
export const VOICE_VISIBILITIES = ['PUBLIC', 'PRIVATE'] as const;

export const ListVoices = model({
  include: oneOf(['builtin'], {
    description: 'Adds the voices that come with the models.',
  }).optional(),
});

/** A voice as it is answered; the last fields are of built-in voices only. */
export const VoiceBody = model({
  voice_id: str(),
  status: oneOf(VOICE_STATUSES),
  name: str(),
  voice_visibility: oneOf(VOICE_VISIBILITIES),
  language: str({ description: 'ISO 639-1' }).nullable(),
  sample_rate: int({ description: 'Hz' }).nullable(),
  failure_reason: str().optional(),
  engine: str().optional(),
  installed: bool().optional(),
  install: str({ description: 'The command that installs the voice, if it is not.' }).optional(),
  default: bool().optional().meta({ description: 'The default voice of its language.' }),
}).meta({ id: 'Voice' });
export type VoiceBody = z.output<typeof VoiceBody>;

export const VoiceList = list(VoiceBody);
