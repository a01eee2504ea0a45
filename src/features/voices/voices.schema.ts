import type { z } from 'zod';
import { LANGUAGES } from '../../../media/languages.js';
import { upload } from '../../platform/http/validation/multipart-body.js';
import {
  bool,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';

export const VOICE_STATUSES = ['PENDING', 'PROCESSING', 'AVAILABLE', 'FAILED'] as const;
export const VOICE_VISIBILITIES = ['PUBLIC', 'PRIVATE'] as const;

export const ListVoices = model({
  include: oneOf(['builtin'], {
    description: '`builtin` adds the built-in voices.',
  }).optional(),
});

const name = () => str({ min: 1, max: 255 });
const visibility = () =>
  oneOf(VOICE_VISIBILITIES, { description: 'Only the account can use its PRIVATE voices.' });

/** A recording of the voice to clone. */
export const CloneVoice = model({
  file: upload({
    description: 'MP3, WAV, Ogg or M4A, at most 7.5 MB.',
    mediaTypes: ['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/mp4'],
    example: 'ID3…',
  }),
  name: name().default('Cloned voice'),
  voice_visibility: visibility().default('PUBLIC'),
  language: oneOf(LANGUAGES, { description: 'ISO 639-1' }).default('en'),
}).meta({ id: 'CloneVoice' });

export const VoicePath = model({ voice_id: str() }); // unknown ids are 404, not 422

export const UpdateVoice = model({
  name: name().nullable().optional(),
  voice_visibility: visibility().nullable().optional(),
}).meta({ id: 'UpdateVoice' });

export const ClonedVoice = model({
  voice_id: str(),
  status: oneOf(VOICE_STATUSES),
}).meta({ id: 'ClonedVoice' });

export const DeletedVoice = model({ status: oneOf(['deleted']), voice_id: str() });

/** A voice in a response. The last four fields exist for built-in voices only. */
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
  install: str({
    description: 'The command that installs the voice, if it is not installed.',
  }).optional(),
  default: bool().optional().meta({ description: 'The default voice of its language.' }),
}).meta({ id: 'Voice' });
export type VoiceBody = z.output<typeof VoiceBody>;

export const VoiceList = list(VoiceBody);
