import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { CallOptions } from '../../calls/connection/connection.schema.js';
import { fillPlaceholders } from './config/prompt-template.js';

/** The agent's config with what one call changes. */
export function configForCall(config: AgentConfig, options: CallOptions): AgentConfig {
  const variables = options.dynamic_variables ?? {};
  const voice = options.agent_overrides?.tts_params ?? {};
  const changesVoice = voice.voice_id !== undefined;
  const changesDictionary = voice.dictionary_id !== undefined;
  return {
    ...config,
    prompt: fillPlaceholders(config.prompt, variables),
    greeting: fillPlaceholders(config.greeting, variables),
    voice: {
      voiceId: changesVoice ? voice.voice_id || null : config.voice.voiceId,
      language: voice.language ?? config.voice.language,
      temperature: voice.temperature ?? config.voice.temperature,
      topP: voice.top_p ?? config.voice.topP,
      dictionaryId: changesDictionary ? voice.dictionary_id || null : config.voice.dictionaryId,
      // A pinned version belongs to its dictionary.
      dictionaryVersion:
        voice.dictionary_version ?? (changesDictionary ? null : config.voice.dictionaryVersion),
    },
  };
}
