import { expect, it } from 'vitest';
import { AgentsRepository } from '../../src/agents/agents.repository.js';
import { CallDesk } from '../../src/calls/call-desk.js';
import { CallSlots } from '../../src/calls/call-slots.js';
import { CallTokens } from '../../src/calls/call-tokens.js';
import { CallsRepository } from '../../src/calls/calls.repository.js';
import { callRoutes } from '../../src/calls/calls.routes.js';
import { LiveCalls } from '../../src/calls/live-calls.js';
import { VoiceOverrides } from '../../src/calls/voice-overrides.js';
import { withControlPlane } from '../support/harness/app/control-plane-app.js';

const load = { isOpen: true };
const plane = withControlPlane({
  routes: (db, secrets) => {
    const calls = new CallsRepository(db, 0);
    const tokens = new CallTokens(secrets);
    const nothing = { find: async () => undefined };
    const desk = new CallDesk({
      agents: new AgentsRepository(db),
      calls,
      tokens,
      slots: new CallSlots({ calls, live: new LiveCalls(), load, expect: async () => undefined }),
      commands: { end: async () => undefined },
      overrides: new VoiceOverrides({
        voices: { list: () => [] },
        ownVoices: nothing,
        dictionaries: nothing,
      }),
      socketOrigin: () => 'ws://127.0.0.1',
    });
    return callRoutes({ desk, tokens, calls, keys: { authenticate: async () => undefined } });
  },
});

it('refuses calls with 503 and when to try again while the gateway cannot keep up, and takes no slot', async () => {
  const ask = await plane.asNewAccount();
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  const call = (path: string) => ask('POST', `/connection/${path}`, { agent_id });
  const reserved = async () => {
    const rows = await plane.database.db('calls').where({ agent_id }).count('*');
    return Number(rows[0]?.count);
  };
  expect((await call('connection-details')).status).toBe(200);
  load.isOpen = false;
  for (const path of ['connection-details', 'test-connection-details']) {
    const { status, body, headers } = await call(path);
    expect([status, body.code]).toEqual([503, 'OVERLOADED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await reserved()).toBe(1);
  load.isOpen = true;
  expect((await call('connection-details')).status).toBe(200);
  expect(await reserved()).toBe(2);
});
