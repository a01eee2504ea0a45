import { decodeJwt } from 'jose';
import { TokenVerifier } from 'livekit-server-sdk';
import { expect, it } from 'vitest';
import { CallSlots } from '../../../src/calls/admission/call-slots.js';
import { callCommandRoutes } from '../../../src/calls/commands/call-commands.routes.js';
import { CallTokens } from '../../../src/calls/connection/call-tokens.js';
import { connectionRoutes } from '../../../src/calls/connection/connection.routes.js';
import { ConnectionService } from '../../../src/calls/connection/connection.service.js';
import { CallRegistry } from '../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { RoomTokens } from '../../../src/channels/livekit/room-tokens.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { DialBlocklist } from '../../../src/features/phone-numbers/dial-blocklist.js';
import { VoiceOverrides } from '../../../src/features/voices/voice-overrides.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const access = {
  url: 'wss://livekit.example.org',
  apiUrl: 'https://livekit.example.org',
  apiKey: 'devkey',
  apiSecret: 'secret'.repeat(6),
};
const roomTokens = new RoomTokens(access);
const door = {
  url: access.url,
  sampleRate: 48_000,
  isUp: true,
  token: (callId: string) => roomTokens.join(callId),
};
/** Sample rates at which greetings were prepared. */
const rates: (number | undefined)[] = [];
const plane = withControlPlane({
  routes: (db, secrets) => {
    const calls = new CallsRepository(db, 1);
    const tokens = new CallTokens(secrets);
    const nothing = { find: async () => undefined };
    const service = new ConnectionService({
      agents: new AgentsRepository(db),
      calls,
      tokens,
      slots: new CallSlots({
        calls,
        registry: new CallRegistry(),
        load: { admitsCalls: true },
        warmCaches: async (_agent, _options, rate) => void rates.push(rate),
      }),
      overrides: new VoiceOverrides({
        voices: { list: () => [] },
        ownVoices: nothing,
        dictionaries: nothing,
      }),
      socketOrigin: () => 'ws://127.0.0.1',
      rooms: door,
    });
    const commands = callCommandRoutes({
      calls,
      commands: {
        send: async () => undefined,
        end: (callId, reason) => calls.end(callId, reason),
      },
      blocklist: new DialBlocklist([]),
      tokens,
      authenticator: { authenticate: async () => undefined },
    });
    return [...connectionRoutes(service), ...commands];
  },
});

async function caller() {
  const ask = await plane.asNewAccount();
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  return (more: object = {}) =>
    ask('POST', '/connection/connection-details', { agent_id, ...more });
}

it('connection details contain a LiveKit room and token with agent dispatch if configured', async () => {
  rates.length = 0;
  const call = await caller();
  for (const more of [{}, { transport: 'livekit' }, { transport: null }]) {
    const { status, body } = await call(more);
    expect([status, body.server_url]).toEqual([200, access.url]);
    const token: string = body.participant_token;
    const claims = await new TokenVerifier(access.apiKey, access.apiSecret).verify(token);
    expect(claims.video).toMatchObject({
      room: `call-${body.call_id}`,
      roomJoin: true,
      canPublish: true,
      canSubscribe: true,
    });
    const { exp = 0, sub, roomConfig } = decodeJwt<{ roomConfig: unknown }>(token);
    expect(exp - Date.now() / 1000).toBeGreaterThan(60);
    expect(sub).toBe(`caller-${body.call_id}`);
    expect(roomConfig).toEqual({
      emptyTimeout: 60,
      departureTimeout: 20,
      agents: [{ agentName: 'parley', metadata: JSON.stringify({ call_id: body.call_id }) }],
    });
    // The end token is valid before the join, and frees the slot.
    const ended = await plane.askAs(body.end_token)('POST', `/calls/${body.call_id}/end`);
    expect([ended.status, ended.body.status]).toEqual([200, 'ended']);
  }
  expect(rates).toEqual([48_000, 48_000, 48_000]);
});

it('connection details contain the call socket on request, and are refused while LiveKit is unavailable', async () => {
  const call = await caller();
  const socket = await call({ transport: 'websocket' });
  expect(socket.body.server_url).toMatch(/^ws:\/\/127\.0\.0\.1\/api\/v1\/calls\//);
  await plane.askAs(socket.body.end_token)('POST', `/calls/${socket.body.call_id}/end`);
  door.isUp = false;
  try {
    const away = await call();
    expect([away.status, away.body.code]).toEqual([502, 'PROVIDER_ERROR']);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call({ transport: 'websocket' })).status).toBe(200);
  } finally {
    door.isUp = true;
  }
});

it('a repeated request returns the same details with newly signed tokens, which are not stored', async () => {
  const accountId = await plane.makeAccount();
  const key = await plane.makeKey(accountId);
  const { keyId } = (await plane.authenticator.authenticate(key))!;
  const ask = plane.askAs(key);
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  for (const transport of ['websocket', 'livekit']) {
    const repeated = { 'idempotency-key': transport };
    const call = () =>
      ask('POST', '/connection/connection-details', { agent_id, transport }, repeated);
    const first = await call();
    const again = await call();
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const { call_id, server_url } = first.body;
    expect(again.body).toMatchObject({ call_id, server_url });
    expect(again.body.end_token).not.toBe(first.body.end_token);
    expect(decodeJwt(again.body.participant_token).exp).toBeGreaterThan(Date.now() / 1000 + 60);
    const row = await plane.database.db('idempotent_answers').where({ key: transport }).first();
    const place = `idempotent-answer ${accountId} key:${keyId} ${transport}`;
    const stored = plane.box.open(row.answer, place);
    expect(stored).toContain(call_id);
    expect(stored).not.toContain('eyJ');
    const ended = await plane.askAs(again.body.end_token)('POST', `/calls/${call_id}/end`);
    expect(ended.body.status).toBe('ended');
  }
});

it('the slot is freed if nobody joins in time', async () => {
  const call = await caller();
  const first = await call();
  expect((await call()).body).toMatchObject({ reason: 'concurrency_limit' });
  await plane.database
    .db('calls')
    .where({ call_id: first.body.call_id })
    .update({ reserved_until: plane.database.db.raw(`now() - interval '1 s'`) });
  expect((await call()).status).toBe(200);
});
