import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../../agents-runtime/transports/websocket/protocol.js';
import { CallTokens } from '../../../src/calls/connection/call-tokens.js';
import { CallRegistry } from '../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { CallSockets } from '../../../src/channels/websocket/call-socket.route.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

/** Limits that two failures, or a few requests, exhaust. */
const LIMITS = { requestsPerMinute: 8, failedAuthsPerMinute: 2 };
const CALLS = 0;

let tokens: CallTokens;
const plane = withControlPlane({
  limits: LIMITS,
  trustProxy: true,
  sockets: (db, secrets) => {
    tokens = new CallTokens(secrets);
    const sockets = new CallSockets({
      gatewayId: randomUUID(),
      calls: new CallsRepository(db, CALLS),
      tokens,
      registry: new CallRegistry(),
      // Every claim fails as if the agent had been deleted: these tests end before it.
      sessions: { claim: async () => 'no_agent' },
    });
    return [sockets.route];
  },
});

async function reservedCall() {
  const accountId = await plane.makeAccount();
  const callId = randomUUID();
  const calls = new CallsRepository(plane.database.db, CALLS);
  const agent = { agentId: randomUUID(), agentName: 'Pool' };
  await calls.reserve({ callId, accountId, ...agent, callType: 'web', options: {} });
  return { callId, accountId, calls };
}

function open(callId: string, from: string, protocols = [SUBPROTOCOL]): WebSocket {
  const url = `${plane.url.replace('http', 'ws')}/api/v1/calls/${callId}/socket`;
  const socket = new WebSocket(url, protocols, { headers: { 'x-forwarded-for': from } });
  socket.on('error', () => undefined); // emitted after the response
  return socket;
}

/** The HTTP status of a refused upgrade. */
async function refusal(...parts: Parameters<typeof open>): Promise<number> {
  const socket = open(...parts);
  const [, response] = await once(socket, 'unexpected-response');
  response.resume();
  return response.statusCode;
}

/** Sends a hello and returns the reason with which the socket is closed. */
async function closing(callId: string, from: string, hello: object): Promise<string> {
  const socket = open(callId, from);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', ...hello }));
  const [, reason] = await once(socket, 'close');
  return String(reason);
}

it("a wrong token counts as a failed authentication, and not as a request of the call's account", async () => {
  const { callId, accountId } = await reservedCall();
  const from = '192.0.2.1';
  const guesses = [{ token: 'a.b.c' }, { resumeToken: `${callId}.guess` }];
  expect(await closing(callId, from, guesses[0]!)).toMatch(/token is wrong/);
  expect(await closing(callId, from, guesses[1]!)).toMatch(/cannot be taken up/);
  for (const guess of guesses) {
    expect(await closing(callId, from, guess)).toMatch(/Too many failed authentications/);
  }
  const key = await plane.makeKey(accountId);
  const { headers } = await plane.askAs(key)('GET', '/auth/api-key');
  expect(headers.get('ratelimit')).toContain(`r=${LIMITS.requestsPerMinute - 1};`);
});

it("a verified token counts as a request of the call's account, despite failures of its address", async () => {
  const { callId, accountId } = await reservedCall();
  const from = '192.0.2.2';
  for (let i = 0; i <= LIMITS.failedAuthsPerMinute; i++) {
    await closing(callId, from, { token: 'a.b.c' });
  }
  const token = await tokens.issue(callId, 'join');
  expect(await closing(callId, from, { token })).toBe('no such agent');
  const ask = plane.askAs(await plane.makeKey(accountId));
  const { headers } = await ask('GET', '/auth/api-key');
  expect(headers.get('ratelimit')).toContain(`r=${LIMITS.requestsPerMinute - 2};`);
  for (let i = 2; i < LIMITS.requestsPerMinute; i++) await ask('GET', '/auth/api-key');
  expect(await closing(callId, '192.0.2.3', { token })).toMatch(/More than 8 requests/);
});

it('the upgrade of an ended or unknown call is refused', async () => {
  const { callId, calls } = await reservedCall();
  await calls.end(callId, 'user_hangup');
  expect(await refusal(callId, '192.0.2.4')).toBe(401);
  expect(await refusal(randomUUID(), '192.0.2.4')).toBe(401);
  expect(await refusal(callId, '192.0.2.4')).toBe(429);
});

it('an upgrade without the call subprotocol is refused with 400', async () => {
  const { callId } = await reservedCall();
  for (const protocols of [[], ['chat'], ['parley.token.abc']]) {
    expect(await refusal(callId, '192.0.2.5', protocols)).toBe(400);
  }
});

it('the call subprotocol is selected in any order of the offer, and never a token', async () => {
  const { callId } = await reservedCall();
  const socket = open(callId, '192.0.2.6', ['parley.token.abc', SUBPROTOCOL]);
  await once(socket, 'open');
  expect(socket.protocol).toBe(SUBPROTOCOL);
  socket.terminate();
});
