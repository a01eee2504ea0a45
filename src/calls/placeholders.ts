import type { AgentConfig } from '../../agents-runtime/agent/agent-config.js';
import type { CallOptions } from './calls.schema.js';

/** `{{name}}`, white space inside allowed. Source: the contract's supplement, §6. */
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Fills the placeholders of a text in one pass, so that a value can add no placeholder of its own;
 * one without a value is left out. Line breaks in a value become blanks: it cannot pose as a
 * paragraph of instructions.
 */
export function fillPlaceholders(
  text: string,
  variables: Readonly<Record<string, string | number | boolean>>,
): string {
  return text.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? String(variables[name]) : '';
    return value.replace(/\s+/g, ' ');
  });
}

/** The agent's config with what one call changes. */
export function configForCall(config: AgentConfig, options: CallOptions): AgentConfig {
  const variables = options.dynamic_variables ?? {};
  const voice = options.agent_overrides?.tts_params ?? {};
  return {
    ...config,
    prompt: fillPlaceholders(config.prompt, variables),
    greeting: fillPlaceholders(config.greeting, variables),
    voice: {
      voiceId: voice.voice_id ?? config.voice.voiceId,
      language: voice.language ?? config.voice.language,
      temperature: voice.temperature ?? config.voice.temperature,
      topP: voice.top_p ?? config.voice.topP,
      dictionaryId: voice.dictionary_id ?? config.voice.dictionaryId,
      // A version that was pinned is one of the agent's own dictionary.
      dictionaryVersion:
        voice.dictionary_version ?? (voice.dictionary_id ? null : config.voice.dictionaryVersion),
    },
  };
}
