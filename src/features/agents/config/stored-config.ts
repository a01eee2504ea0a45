import type { AgentConfigInput } from './agent-config.schema.js';
import { AGENT_SETTINGS } from './agent-settings.js';
import { mergeSettings, type Seal, type StoredSettings, sealSettings } from './settings-table.js';

/** A config in the database: the settings that were set, with encrypted secrets. */
export type StoredConfig = StoredSettings<typeof AGENT_SETTINGS>;

/** Encrypts the secrets of a request. */
export function sealConfig(input: AgentConfigInput, seal: Seal): StoredConfig {
  return sealSettings(AGENT_SETTINGS, input, seal);
}

/**
 * A partial update: absent settings stay, null clears, arrays replace. `tts_params` and `webhooks`
 * merge field by field. An entry keeps the secrets that the update leaves out if its name and
 * address stay the same. Nothing is decrypted.
 */
export function mergeConfig(stored: StoredConfig, update: StoredConfig): StoredConfig {
  return mergeSettings(AGENT_SETTINGS, stored, update);
}
