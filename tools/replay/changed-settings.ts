import type { AgentConfig } from '../../agents-runtime/contract/agent-config.js';
import { AGENT_SETTINGS } from '../../src/features/agents/config/agent-settings.js';
import { type Setting, toRuntimeUnit } from '../../src/features/agents/config/settings-table.js';

const REPLAYABLE: ReadonlyMap<string, Setting> = new Map(
  Object.entries<Setting>(AGENT_SETTINGS).filter(([, { isReplayable }]) => isReplayable),
);

/**
 * Reads `name=value` pairs.
 * @returns the changed part of the configuration, or an error message
 */
export function changedSettings(pairs: readonly string[]): Partial<AgentConfig> | string {
  const changes: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [name = '', text = ''] = pair.split('=');
    const setting = REPLAYABLE.get(name);
    if (setting?.runtime === undefined) {
      return `--set accepts ${[...REPLAYABLE.keys()].join(', ')}; got ${name}`;
    }
    const value = setting.schema.safeParse(text);
    if (text === '' || !value.success) return `${name} must not be ${text || 'empty'}`;
    changes[setting.runtime] = toRuntimeUnit(setting, value.data);
  }
  return changes;
}
