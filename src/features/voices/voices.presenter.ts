import type { BuiltinVoice } from './voice-catalogue.js';
import type { OwnVoice } from './voices.repository.js';
import type { VoiceBody } from './voices.schema.js';

/** The body of a voice. */
export function presentVoice(voice: OwnVoice | BuiltinVoice): VoiceBody {
  return 'engine' in voice ? presentBuiltinVoice(voice) : presentOwnVoice(voice);
}

function presentOwnVoice(voice: OwnVoice): VoiceBody {
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

function presentBuiltinVoice(voice: BuiltinVoice): VoiceBody {
  return {
    voice_id: voice.id,
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
