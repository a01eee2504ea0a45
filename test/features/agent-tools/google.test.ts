import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { googleRoutes } from '../../../src/features/agent-tools/google.routes.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane({ routes: (db) => googleRoutes(new AgentsRepository(db)) });

async function agent() {
  const ask = await plane.asNewAccount();
  const managed_tools = { google_gmail: { enabled: true }, google_calendar: { enabled: false } };
  const { body } = await ask('POST', '/agent', { name: 'Pool', config: { managed_tools } });
  return { ask, id: body.agent_id as string };
}

it('the status lists the scopes that the tools need, and no linked account', async () => {
  const { ask, id } = await agent();
  const { status, body } = await ask('GET', `/google/${id}/status`);
  const gmail = ['https://www.googleapis.com/auth/gmail.send'];
  expect([status, body]).toEqual([
    200,
    {
      connected: false,
      agent_id: id,
      email: null,
      expires_at: null,
      granted_scopes: [],
      scopes: [],
      required_scopes: gmail,
      missing_scopes: gmail,
      reconnect_required: false,
    },
  ]);
});

it('disconnecting without a linked account does nothing', async () => {
  const { ask, id } = await agent();
  const { status, body } = await ask('DELETE', `/google/${id}/disconnect`);
  expect([status, body]).toEqual([200, { disconnected: false, agent_id: id }]);
});

it('linking without its settings returns an error that names them', async () => {
  const { ask, id } = await agent();
  const { status, body } = await ask('POST', `/google/${id}/oauth/start`, { return_path: '/' });
  expect([status, body.code]).toEqual([409, 'NOT_CONFIGURED']);
  expect(body.error).toMatch(/GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET/);
});

it('redirect URLs must belong to this server', async () => {
  const { ask, id } = await agent();
  for (const return_path of ['//evil.example', '/\\evil.example', 'https://evil.example']) {
    expect((await ask('POST', `/google/${id}/oauth/start`, { return_path })).status).toBe(422);
  }
});

it('agents of other accounts return 404', async () => {
  const { id } = await agent();
  const other = await plane.asNewAccount();
  for (const [method, path, body] of [
    ['GET', `${id}/status`],
    ['DELETE', `${id}/disconnect`],
    ['POST', `${id}/oauth/start`, {}],
    ['GET', `${randomUUID()}/status`],
  ] as const) {
    const { status, body: fault } = await other(method, `/google/${path}`, body);
    expect([status, fault.code]).toEqual([404, 'AGENT_NOT_FOUND']);
  }
});
