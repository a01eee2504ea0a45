import { expect, it } from 'vitest';
import { CallSlots } from '../../../src/calls/admission/call-slots.js';
import { CallTokens } from '../../../src/calls/connection/call-tokens.js';
import { connectionRoutes } from '../../../src/calls/connection/connection.routes.js';
import { ConnectionService } from '../../../src/calls/connection/connection.service.js';
import { CallRegistry } from '../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { VoiceOverrides } from '../../../src/features/voices/voice-overrides.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const load = { admitsCalls: true };
const plane = withControlPlane({
  routes: (db, secrets) => {
    const calls = new CallsRepository(db, 0);
    const tokens = new CallTokens(secrets);
    const nothing = { find: async () => undefined };
    const service = new ConnectionService({
      agents: new AgentsRepository(db),
      calls,
      tokens,
      slots: new CallSlots({
        calls,
        registry: new CallRegistry(),
        load,
        warmCaches: async () => undefined,
      }),
      overrides: new VoiceOverrides({
        voices: { list: () => [] },
        ownVoices: nothing,
        dictionaries: nothing,
      }),
      socketOrigin: () => 'ws://127.0.0.1',
    });
    return connectionRoutes(service);
  },
});

it('an overloaded gateway refuses calls with 503 and Retry-After and takes no slot', async () => {
  const ask = await plane.asNewAccount();
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  const call = (path: string) => ask('POST', `/connection/${path}`, { agent_id });
  const reserved = async () => {
    const rows = await plane.database.db('calls').where({ agent_id }).count('*');
    return Number(rows[0]?.count);
  };
  expect((await call('connection-details')).status).toBe(200);
  load.admitsCalls = false;
  for (const path of ['connection-details', 'test-connection-details']) {
    const { status, body, headers } = await call(path);
    expect([status, body.code]).toEqual([503, 'OVERLOADED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await reserved()).toBe(1);
  load.admitsCalls = true;
  expect((await call('connection-details')).status).toBe(200);
  expect(await reserved()).toBe(2);
});
