import { ApiError } from '../../platform/http/api-error.js';
import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import { AUDIO_FILE_TYPES, sniffAudioType } from './sniff-audio-type.js';
import type { BuiltinVoice, BuiltinVoices } from './voice-catalog.js';
import type { OwnVoice, VoicesRepository } from './voices.repository.js';
import {
  ClonedVoice,
  CloneVoice,
  DeletedVoice,
  ListVoices,
  UpdateVoice,
  VoiceBody,
  VoiceList,
  VoicePath,
} from './voices.schema.js';

const COMMON = { scope: 'speech', tag: 'Voices' } as const;
const MAX_RECORDING_BYTES = 7.5 * 1_048_576;
/** Recordings are kept, so their number is bounded. */
const MAX_VOICES = 50;
const NO_CLONING =
  'No voice cloning model is installed: the recording is kept, and no other voice stands in for it';
const NO_SUCH: RouteResponse = { description: 'No such voice' };
const THE_VOICE: RouteResponse = { description: 'The voice', schema: VoiceBody };

export interface VoiceRouteParts {
  readonly builtin: BuiltinVoices;
  readonly voices: VoicesRepository;
}

/** `/tts/voices`, `/tts/voice` and `/tts/clone-voice`: the caller's own voices, and the built-in ones. */
export function voiceRoutes(parts: VoiceRouteParts): readonly Route[] {
  return [listRoute(parts), cloneRoute(parts), ...oneRoutes(parts)];
}

function listRoute({ builtin, voices }: VoiceRouteParts): Route {
  return route({
    ...COMMON,
    method: 'get',
    path: '/tts/voices',
    summary: 'List voices',
    description: 'The voices that the caller made; with include=builtin the built-in ones too.',
    query: ListVoices,
    responses: { 200: { description: 'The voices', schema: VoiceList } },
    async handle({ principal, query }) {
      const own = (await voices.list(principal.accountId)).map(toBody);
      return query.include === 'builtin' ? [...own, ...builtin.list().map(toBuiltinBody)] : own;
    },
  });
}

function cloneRoute({ voices }: VoiceRouteParts): Route {
  return route({
    ...COMMON,
    method: 'post',
    path: '/tts/clone-voice',
    summary: 'Make a voice from a recording',
    description:
      'The recording is kept. No cloning model can be installed yet, so the voice is FAILED, with a ' +
      'failure_reason; it never speaks with the sound of another one.',
    body: CloneVoice,
    isMultipart: true,
    maxBodyBytes: MAX_RECORDING_BYTES,
    isIdempotent: true,
    responses: {
      200: { description: 'The voice', schema: ClonedVoice },
      413: { description: 'The file is too large' },
      415: { description: 'The file is not MP3, WAV, Ogg or M4A' },
    },
    async handle({ principal: { accountId }, body: { file, name, voice_visibility, language } }) {
      const kind = sniffAudioType(file.bytes);
      if (!kind) {
        throw new ApiError(
          'UNSUPPORTED_MEDIA_TYPE',
          `The recording must be one of ${AUDIO_FILE_TYPES.join(', ')}`,
        );
      }
      if ((await voices.count(accountId)) >= MAX_VOICES) {
        throw new ApiError('FORBIDDEN', `An account has at most ${MAX_VOICES} voices`);
      }
      const { id, status } = await voices.insert(accountId, {
        name,
        visibility: voice_visibility,
        language,
        status: 'FAILED',
        failureReason: NO_CLONING,
        recording: { kind, bytes: file.bytes },
      });
      return { voice_id: id, status };
    },
  });
}

function oneRoutes({ builtin, voices }: VoiceRouteParts): readonly Route[] {
  const common = { ...COMMON, path: '/tts/voice/{voice_id}', params: VoicePath };
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Read a voice',
      description: "One's own, a PUBLIC one, or a built-in one.",
      responses: { 200: THE_VOICE, 404: NO_SUCH },
      async handle({ principal, params: { voice_id: id } }) {
        const known = builtin.list().find((voice) => voice.id === id);
        if (known) return toBuiltinBody(known);
        return toBody((await voices.find(principal.accountId, id)) ?? noSuch());
      },
    }),
    route({
      ...common,
      method: 'patch',
      summary: 'Rename a voice, or change who sees it',
      body: UpdateVoice,
      responses: { 200: THE_VOICE, 404: NO_SUCH },
      async handle({ principal, params: { voice_id: id }, body }) {
        const changes = {
          name: body.name ?? undefined,
          visibility: body.voice_visibility ?? undefined,
        };
        return toBody((await voices.update(principal.accountId, id, changes)) ?? noSuch());
      },
    }),
    route({
      ...common,
      method: 'delete',
      summary: 'Delete a voice and its recording',
      responses: { 200: { description: 'It is gone', schema: DeletedVoice }, 404: NO_SUCH },
      async handle({ principal, params: { voice_id: id } }) {
        if (!(await voices.delete(principal.accountId, id))) noSuch();
        return { status: 'deleted', voice_id: id };
      },
    }),
  ];
}

function toBody(voice: OwnVoice): VoiceBody {
  return {
    voice_id: voice.id,
    status: voice.status,
    name: voice.name,
    voice_visibility: voice.visibility,
    language: voice.language,
    sample_rate: voice.sampleRate,
    ...(voice.failureReason !== null && { failure_reason: voice.failureReason }),
  };
}

function toBuiltinBody(voice: BuiltinVoice): VoiceBody {
  return {
    voice_id: voice.id,
    // One that cannot speak yet is not said to be there.
    status: voice.isInstalled ? 'AVAILABLE' : 'PENDING',
    name: voice.name,
    voice_visibility: 'PUBLIC',
    language: voice.language,
    sample_rate: voice.sampleRate,
    engine: voice.engine,
    installed: voice.isInstalled,
    default: voice.isDefault,
    ...(voice.install !== undefined && { install: voice.install }),
  };
}

function noSuch(): never {
  throw new ApiError('VOICE_NOT_FOUND', 'No voice has the given voice_id');
}
