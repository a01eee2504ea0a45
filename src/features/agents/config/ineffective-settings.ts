import {
  type IneffectiveSetting,
  ineffectiveSettings,
} from '../../../../agents-runtime/turn/endpointing.js';
import { CONFIG_DEFAULTS } from './agent-config.schema.js';
import type { StoredConfig } from './stored-config.js';

/** Settings of an agent that have no effect because of another; defaults are not reported. */
export function ineffectiveSettingsOf(config: StoredConfig): readonly IneffectiveSetting[] {
  const secondsOf = (setting: IneffectiveSetting['setting']) =>
    config[setting] ?? CONFIG_DEFAULTS[setting];
  const hidden = ineffectiveSettings({
    minSilenceMs: secondsOf('min_silence_duration') * 1_000,
    minEndpointingMs: secondsOf('min_endpointing_delay') * 1_000,
    maxEndpointingMs: secondsOf('max_endpointing_delay') * 1_000,
  });
  return hidden.filter(({ setting }) => config[setting] != null);
}
