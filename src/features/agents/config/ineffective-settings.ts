import {
  type IneffectiveSetting,
  ineffectiveSettings,
} from '../../../../agents-runtime/turn/endpointing.js';
import { AGENT_SETTINGS } from './agent-settings.js';
import type { StoredConfig } from './stored-config.js';

/** Settings of an agent without effect because of another setting. Defaults are not reported. */
export function ineffectiveSettingsOf(config: StoredConfig): readonly IneffectiveSetting[] {
  const secondsOf = (setting: IneffectiveSetting['setting']) =>
    config[setting] ?? AGENT_SETTINGS[setting].default;
  const ineffective = ineffectiveSettings({
    minSilenceMs: secondsOf('min_silence_duration') * 1_000,
    minEndpointingMs: secondsOf('min_endpointing_delay') * 1_000,
    maxEndpointingMs: secondsOf('max_endpointing_delay') * 1_000,
  });
  return ineffective.filter(({ setting }) => config[setting] != null);
}
