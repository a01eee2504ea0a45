/** Why a call ended. Records, webhooks and the API use these names. */
export const ENDED_REASONS = [
  'user_hangup',
  'agent_hangup',
  'inactivity',
  'max_duration_reached',
  'concurrency_limit_reached',
  'insufficient_credits',
  'transferred',
  'voicemail_reached',
  'error_no_audio_received',
  'error_asr',
  'error_llm',
  'error_tts',
  'error_transport',
  'drained',
  'operator_ended',
] as const;

export type EndedReason = (typeof ENDED_REASONS)[number];
