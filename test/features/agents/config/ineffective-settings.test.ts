import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ineffectiveSettingsOf } from '../../../../src/features/agents/config/ineffective-settings.js';
import { withControlPlane } from '../../../support/harness/app/control-plane-app.js';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const plane = withControlPlane({ log });

it('default settings are not reported as ineffective', () => {
  expect(ineffectiveSettingsOf({})).toEqual([]);
  expect(ineffectiveSettingsOf({ min_silence_duration: 2 })).toEqual([]);
  expect(ineffectiveSettingsOf({ min_silence_duration: 2, min_endpointing_delay: 1 })).toEqual([
    { setting: 'min_endpointing_delay', by: 'min_silence_duration' },
  ]);
});

it('ineffective settings are logged once when an agent is saved, and not when it is deployed', async () => {
  const ask = await plane.asNewAccount();
  await ask('POST', '/agent', { name: 'default', config: {} });
  expect(lines).toEqual([]);
  const config = { min_silence_duration: 2, min_endpointing_delay: 1 };
  const { body } = await ask('POST', '/agent', { name: 'x', config });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      agent: body.agent_id,
      settings: [{ setting: 'min_endpointing_delay', by: 'min_silence_duration' }],
    },
  ]);
  await ask('PUT', `/agent/${body.agent_id}`, { name: 'renamed' });
  await ask('POST', `/agent/${body.agent_id}/deploy`);
  expect(lines).toHaveLength(1);
});
