import { type Route, route } from '../http/route.js';
import type { BuiltinVoice, BuiltinVoices } from './builtin-voices.js';
import { ListVoices, type VoiceBody, VoiceList } from './voices.schema.js';

/** `/tts/voices`: the caller's own voices, and on demand those that come with the models. */
export function voiceRoutes(builtin: BuiltinVoices): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/tts/voices',
      scope: 'speech',
      tag: 'Voices',
      summary: 'List voices',
      description: 'The voices that the caller made; with include=builtin the built-in ones too.',
      query: ListVoices,
      responses: { 200: { description: 'The voices', schema: VoiceList } },
      handle({ query }) {
        // Nothing makes voices of one's own yet, so there are none to list.
        return query.include === 'builtin' ? builtin.list().map(toBody) : [];
      },
    }),
  ];
}

function toBody(voice: BuiltinVoice): VoiceBody {
  return {
    voice_id: voice.id,
    status: 'AVAILABLE',
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
