import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import { presentVoice } from './voices.presenter.js';
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
import type { VoiceService } from './voices.service.js';

const COMMON = { scope: 'speech', tag: 'Voices' } as const;
const MAX_RECORDING_BYTES = 7.5 * 1_048_576;
const VOICE_NOT_FOUND: RouteResponse = { description: 'No such voice' };
const THE_VOICE: RouteResponse = { description: 'The voice', schema: VoiceBody };

/** `/tts/voices`, `/tts/voice` and `/tts/clone-voice`: the account's own voices and the built-in ones. */
export function voiceRoutes(voices: VoiceService): readonly Route[] {
  return [...collectionRoutes(voices), ...oneRoutes(voices)];
}

function collectionRoutes(voices: VoiceService): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'get',
      path: '/tts/voices',
      summary: 'List voices',
      description: 'The voices of the account. With `include=builtin`, also the built-in voices.',
      query: ListVoices,
      responses: { 200: { description: 'The voices', schema: VoiceList } },
      async handle({ principal, query }) {
        const isBuiltinIncluded = query.include === 'builtin';
        return (await voices.list(principal.accountId, { isBuiltinIncluded })).map(presentVoice);
      },
    }),
    route({
      ...COMMON,
      method: 'post',
      path: '/tts/clone-voice',
      summary: 'Clone a voice from a recording',
      description:
        'Stores the recording. No cloning model is available yet, so the voice has the status FAILED and a ' +
        '`failure_reason`. It is never replaced by another voice.',
      body: CloneVoice,
      isForm: true,
      maxBodyBytes: MAX_RECORDING_BYTES,
      isIdempotent: true,
      responses: {
        200: { description: 'The voice', schema: ClonedVoice },
        413: { description: 'The file is too large' },
        415: { description: 'The file is not MP3, WAV, Ogg or M4A' },
      },
      async handle({ principal, body: { file, name, voice_visibility: visibility, language } }) {
        const fields = { name, visibility, language };
        const { id, status } = await voices.clone(principal.accountId, file.bytes, fields);
        return { voice_id: id, status };
      },
    }),
  ];
}

function oneRoutes(voices: VoiceService): readonly Route[] {
  const common = { ...COMMON, path: '/tts/voice/{voice_id}', params: VoicePath };
  return [
    route({
      ...common,
      method: 'get',
      summary: 'Read a voice',
      description: 'An own, a PUBLIC or a built-in voice.',
      responses: { 200: THE_VOICE, 404: VOICE_NOT_FOUND },
      async handle({ principal, params }) {
        return presentVoice(await voices.get(principal.accountId, params.voice_id));
      },
    }),
    route({
      ...common,
      method: 'patch',
      summary: 'Rename a voice, or change its visibility',
      body: UpdateVoice,
      responses: { 200: THE_VOICE, 404: VOICE_NOT_FOUND },
      async handle({ principal, params: { voice_id: id }, body }) {
        const changes = {
          name: body.name ?? undefined,
          visibility: body.voice_visibility ?? undefined,
        };
        return presentVoice(await voices.update(principal.accountId, id, changes));
      },
    }),
    route({
      ...common,
      method: 'delete',
      summary: 'Delete a voice and its recording',
      responses: {
        200: { description: 'The voice was deleted', schema: DeletedVoice },
        404: VOICE_NOT_FOUND,
      },
      async handle({ principal, params: { voice_id: id } }) {
        await voices.delete(principal.accountId, id);
        return { status: 'deleted', voice_id: id };
      },
    }),
  ];
}
