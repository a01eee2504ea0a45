import type { VoiceSettings } from '../../agents-runtime/agent/agent-config.js';
import type { Agent } from '../agents/agents.repository.js';
import { TTS_DEFAULTS } from '../agents/tts-params.schema.js';
import { ApiError } from '../errors.js';
import type { BuiltinVoices } from '../voices/builtin-voices.js';
import type { AgentOverrides } from './calls.schema.js';

/** What is known of voices here: by id, which language each speaks and whether it is installed. */
export type KnownVoices = BuiltinVoices;

/** The voice and language that an agent's calls have without overrides. */
export function savedVoice({ config }: Agent): Pick<VoiceSettings, 'voiceId' | 'language'> {
  const { voice_id, language } = config.tts_params ?? {};
  return { voiceId: voice_id || null, language: language ?? TTS_DEFAULTS.language };
}

/**
 * Checks the voice that a call would have against its language, if the call changes one of them.
 * Whether a recogniser understands the language is not asked.
 * @throws ApiError VOICE_NOT_FOUND, VOICE_NOT_AVAILABLE, VOICE_LANGUAGE_MISMATCH
 */
export function checkVoiceOverrides(
  saved: Pick<VoiceSettings, 'voiceId' | 'language'>,
  overrides: AgentOverrides | null | undefined,
  voices: KnownVoices,
): void {
  const { voice_id, language } = overrides?.tts_params ?? {};
  if (voice_id === undefined && language === undefined) return;
  const voiceId = voice_id === undefined ? saved.voiceId : voice_id || null;
  const spoken = language ?? saved.language;
  const voice = voiceId === null ? undefined : voices.list().find(({ id }) => id === voiceId);
  if (voice_id && !voice) {
    throw new ApiError('VOICE_NOT_FOUND', 'No voice has the voice_id of the overrides');
  }
  if (voice_id && !voice?.isInstalled) {
    throw new ApiError('VOICE_NOT_AVAILABLE', `The voice ${voice_id} is not installed`);
  }
  if (!voice || spoken === 'auto' || voice.language === spoken) return;
  throw new ApiError(
    'VOICE_LANGUAGE_MISMATCH',
    `The voice ${voice.id} does not speak ${spoken}, only ${voice.language}`,
  );
}
