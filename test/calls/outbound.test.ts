import { expect, it } from 'vitest';
import { AgentsRepository } from '../../src/agents/agents.repository.js';
import { outboundRoutes } from '../../src/calls/outbound.routes.js';
import { Carriers } from '../../src/numbers/carriers.js';
import { withControlPlane } from '../support/control-plane.js';

const plane = withControlPlane({
  routes: (db) =>
    outboundRoutes({
      agents: new AgentsRepository(db),
      carriers: new Carriers({
        TWILIO_ACCOUNT_SID: 'AC0001',
        TWILIO_AUTH_TOKEN: undefined,
        TWILIO_BASE_URL: 'http://127.0.0.1:1',
        TELNYX_API_KEY: undefined,
        TELNYX_BASE_URL: 'http://127.0.0.1:1',
      }),
    }),
});

async function agentWith(config: object) {
  const ask = await plane.asNewAccount();
  const { body } = await ask('POST', '/agent', { name: 'Pool', config });
  const agent_id: string = body.agent_id;
  const call = () =>
    ask('POST', '/calls/outbound', { agent_id, target_phone_number: '+14155550100' });
  return { ask, agent_id, call };
}

const MAY_CALL = { allow_outbound_calling: true, outbound_contacts: { Ann: '+14155550100' } };

it('refuses agents that are not deployed, and those that may not call out', async () => {
  const { ask, agent_id, call } = await agentWith({});
  const paused = await call();
  expect([paused.status, paused.body.reason]).toEqual([403, 'agent_not_deployed']);
  await ask('POST', `/agent/${agent_id}/deploy`);
  const { status, body } = await call();
  expect([status, body.code, body.reason]).toEqual([
    403,
    'CALL_VALIDATION_FAILED',
    'outbound_not_allowed',
  ]);
});

it('names the settings of the carrier that is not configured', async () => {
  for (const [phone_provider, setting] of [
    ['twilio', 'TWILIO_AUTH_TOKEN'],
    ['telnyx', 'TELNYX_API_KEY'],
  ] as const) {
    const { ask, agent_id, call } = await agentWith({ ...MAY_CALL, phone_provider });
    await ask('POST', `/agent/${agent_id}/deploy`);
    const { status, body } = await call();
    expect([status, body.code]).toEqual([502, 'PROVIDER_ERROR']);
    expect(body.error).toContain(`set ${setting}`);
    expect(body.error).not.toContain('TWILIO_ACCOUNT_SID');
  }
});

it('refuses numbers that are none and overrides that are not allowed, and other accounts', async () => {
  const { ask, agent_id } = await agentWith(MAY_CALL);
  const target_phone_number = '+14155550100';
  for (const [body, loc] of [
    [{ agent_id, target_phone_number: '0415' }, ['body', 'target_phone_number']],
    [
      { agent_id, target_phone_number, agent_overrides: { prompt: 'x' } },
      ['body', 'agent_overrides', 'prompt'],
    ],
  ]) {
    const refused = await ask('POST', '/calls/outbound', body);
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, loc]);
  }
  const other = await plane.asNewAccount();
  const { status } = await other('POST', '/calls/outbound', { agent_id, target_phone_number });
  expect(status).toBe(404);
});
