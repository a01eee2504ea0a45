import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { Agent } from './agent.model.js';
import { AGENT_SETTINGS } from './config/agent-settings.js';
import type { AgentOverrides, CallOverrides } from './config/call-overrides.schema.js';
import { fillPlaceholders } from './config/placeholders.js';
import { runtimeSettings, type SettingModels } from './config/settings-table.js';
import type { StoredVoice } from './config/voice-settings.js';

export interface CallConfigParts {
  readonly models: Pick<SettingModels, 'defaultLlmModel'>;
  readonly box: SecretBox;
}

/** Resolves the configuration of one call from the agent's stored config and the call's overrides. */
export type ResolveCallConfig = (agent: Agent, overrides: CallOverrides) => AgentConfig;

/**
 * The configuration of one call: null and absence become defaults, the overrides are applied, the
 * placeholders are filled and the secrets are decrypted.
 * @throws SealError if the key of a secret is missing
 */
export function resolveCallConfig(
  agent: Agent,
  { agent_overrides, dynamic_variables = {} }: CallOverrides,
  { models, box }: CallConfigParts,
): AgentConfig {
  const { tts_params, ...stored } = agent.config;
  const overridden = { ...stored, tts_params: overrideVoice(tts_params, agent_overrides) };
  const settings = runtimeSettings(AGENT_SETTINGS, overridden, {
    defaultLlmModel: models.defaultLlmModel,
    decrypt: (sealed) => box.open(sealed, agent.id),
  });
  return {
    ...settings,
    prompt: fillPlaceholders(settings.prompt, dynamic_variables),
    greeting: fillPlaceholders(settings.greeting, dynamic_variables),
    knowledgeBaseId: agent.kbId,
  };
}

/** If the overrides name a dictionary but no version, the current version is used, not the agent's. */
function overrideVoice(
  stored: StoredVoice | null | undefined,
  overrides: AgentOverrides | undefined,
): StoredVoice {
  const voice = overrides?.tts_params ?? {};
  const isUnpinned = voice.dictionary_id !== undefined;
  return { ...stored, ...(isUnpinned && { dictionary_version: null }), ...voice };
}
