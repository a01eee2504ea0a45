import { describe, expect, it } from 'vitest';
import { AGENT_SETTINGS } from '../../../../src/features/agents/config/agent-settings.js';
import type { Setting } from '../../../../src/features/agents/config/settings-table.js';
import { VOICE_SETTINGS } from '../../../../src/features/agents/config/voice-settings.js';

const rows = [
  ...Object.entries<Setting>(AGENT_SETTINGS),
  ...Object.entries<Setting>(VOICE_SETTINGS),
];

describe('table of agent settings', () => {
  it('has only defaults that a request may contain', () => {
    for (const [name, { schema, default: value }] of rows) {
      if (value != null) expect([name, schema.parse(value)]).toEqual([name, value]);
    }
  });

  it('marks a setting as replayable only if the runtime uses its value unchanged', () => {
    const replayable = rows.filter(([, { isReplayable }]) => isReplayable);
    expect(replayable.filter(([, row]) => !row.runtime || row.toRuntime)).toEqual([]);
  });
});
