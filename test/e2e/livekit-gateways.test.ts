import { randomUUID } from 'node:crypto';
import { AgentDispatchClient, RoomServiceClient } from 'livekit-server-sdk';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { CallsRepository } from '../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../src/features/auth/accounts.repository.js';
import { makeApiKey } from '../../src/features/auth/api-key.js';
import { ApiKeysRepository } from '../../src/features/auth/api-keys.repository.js';
import { urlOf } from '../../src/platform/db/connect.js';
import { WebhookReceiver } from '../support/fakes/webhook-receiver.js';
import { ask, makeAgent, requestConnection } from '../support/harness/call/call-agents.js';
import { CallClient, type ConnectionDetails } from '../support/harness/call/call-client.js';
import { RoomParticipant, roomToken } from '../support/harness/call/room-participant.js';
import { withDatabase } from '../support/harness/postgres/test-database.js';
import {
  type LiveKitServer,
  startLiveKitServer,
} from '../support/harness/process/livekit-server.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';

const WAIT = { timeout: 60_000, interval: 100 };
const LIMIT = 360_000;
/** Minimum level of an audible agent. */
const AUDIBLE_LEVEL = 0.01;
/** Calls are dispatched at random: the test makes calls until each gateway has two. */
const MAX_ATTEMPTS = 40;

interface Caller {
  readonly details: ConnectionDetails;
  readonly guest: RoomParticipant;
}

describeWith(['livekit-server'], 'two gateways on one LiveKit', (tools) => {
  const database = withDatabase();
  const guests: RoomParticipant[] = [];
  let hook: WebhookReceiver;
  let server: LiveKitServer;
  let one: Product;
  let two: Product;
  let late: Product;
  let isKilled = false;
  let isStopped = false;
  let env: Record<string, string>;
  let agentId: string;
  let accountId: string;
  beforeAll(async () => {
    hook = await WebhookReceiver.open();
    server = await startLiveKitServer(tools['livekit-server']);
    env = {
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      DATABASE_URL: urlOf(database.connection),
      SECRET_KEY: 'the secret of both gateways',
      LIVEKIT_URL: server.url,
      LIVEKIT_API_KEY: server.apiKey,
      LIVEKIT_API_SECRET: server.apiSecret,
    };
    const first = await startProduct({ env });
    const second = await startProduct({ env });
    accountId = await new AccountsRepository(database.db).insert('An account of a test');
    const key = makeApiKey();
    const fields = { name: 'test', description: null, isActive: true, expiresAt: null };
    await new ApiKeysRepository(database.db).insert(accountId, key, { ...fields, scopes: ['*'] });
    one = { ...first, apiKey: key.text };
    two = { ...second, apiKey: key.text };
    agentId = await makeAgent(one, {
      greeting: 'Hello, this is the flower shop.',
      user_silence_timeout: 300,
      webhooks: { inbound_call: { url: hook.url('/inbound'), timeout: 5, enabled: true } },
    });
    for (const { url } of [one, two]) {
      await vi.waitFor(async () => expect((await readiness(url)).parts.livekit).toBe('up'), WAIT);
    }
  }, LIMIT);
  afterEach(async () => {
    for (const guest of guests.splice(0)) await guest.kill();
  });
  afterAll(async () => {
    await one?.stop();
    await two?.stop();
    await late?.stop();
    await server?.stop();
    hook?.close();
  });

  async function readiness(url: string) {
    const response = await fetch(`${url}/readyz`);
    // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service responds
    return { status: response.status, parts: ((await response.json()) as any).parts };
  }

  const calls = () => new CallsRepository(database.db, 0);
  const rowOf = ({ details }: Caller) => calls().find(details.call_id);

  async function call(through: Product): Promise<Caller> {
    const details = await requestConnection(through, agentId);
    const guest = new RoomParticipant();
    guests.push(guest);
    const { server_url: url, participant_token: token } = details;
    await guest.execute({ type: 'join', url, token });
    // A caller without a microphone is removed after 30 s, which is short on a busy machine.
    await guest.execute({ type: 'publish', sampleRate: 48_000 });
    return { details, guest };
  }

  const isAudible = ({ guest }: Pick<Caller, 'guest'>) =>
    vi.waitFor(() => {
      expect(Math.max(0, ...guest.all('heard').map(({ level }) => level))).toBeGreaterThan(
        AUDIBLE_LEVEL,
      );
    }, WAIT);

  const end = ({ details }: Caller, { url }: Product) =>
    fetch(`${url}/api/v1/calls/${details.call_id}/end`, {
      method: 'POST',
      headers: { authorization: `Bearer ${details.end_token}` },
    });

  /** Audible calls, two per gateway, by gateway ID. */
  async function twoEach(): Promise<readonly (readonly [string, readonly Caller[]])[]> {
    const callsByGateway = new Map<string, Caller[]>();
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
      const caller = await call(one);
      await isAudible(caller);
      const gatewayId = (await rowOf(caller))?.gateway_id ?? '';
      const its = callsByGateway.get(gatewayId) ?? [];
      if (its.length === 2) {
        await end(caller, one);
        await caller.guest.kill();
      } else callsByGateway.set(gatewayId, [...its, caller]);
      if (
        callsByGateway.size === 2 &&
        [...callsByGateway.values()].every(({ length }) => length === 2)
      ) {
        return [...callsByGateway];
      }
    }
    throw new Error(`Of ${MAX_ATTEMPTS} calls all went to one gateway`);
  }

  it(
    'share four audible calls; after one is killed, its calls end and the other takes new calls',
    async () => {
      if (isKilled) one = { ...(await startProduct({ env })), apiKey: two.apiKey };
      isKilled = false;
      const details = await requestConnection(one, agentId);
      expect(details.server_url).toBe(server.url.replace('http', 'ws'));
      expect(details.participant_token.split('.')).toHaveLength(3);
      const callsByGateway = await twoEach();
      // The effect of the kill shows which gateway ran which call.
      isKilled = true;
      await one.kill();
      const ended = await vi.waitFor(async () => {
        const states = await Promise.all(
          callsByGateway.map(async ([, its]) =>
            (await Promise.all(its.map(rowOf))).map((row) => row?.state),
          ),
        );
        const index = states.findIndex((its) => its.every((state) => state === 'ended'));
        expect(index).not.toBe(-1);
        return index;
      }, WAIT);
      const [[, lost], [, kept]] =
        ended === 0
          ? [callsByGateway[0]!, callsByGateway[1]!]
          : [callsByGateway[1]!, callsByGateway[0]!];
      for (const caller of lost) {
        expect((await rowOf(caller))?.ended_reason).toBe('error_transport');
        // No participant stays alone in a room.
        await vi.waitFor(() => expect(caller.guest.all('out')).toHaveLength(1), WAIT);
      }
      // Ended calls have a reason.
      for (const caller of kept) expect((await rowOf(caller))?.ended_reason).toBeNull();
      const next = await call(two);
      await isAudible(next);
      const [survivor] = await Promise.all(kept.map(rowOf));
      expect((await rowOf(next))?.gateway_id).toBe(survivor?.gateway_id);
      for (const { guest } of [...kept, next]) {
        const agents = guest.reports.filter(
          (it) => it.type === 'came' && /agent/.test(it.identity),
        );
        expect(agents.length).toBeLessThanOrEqual(1);
      }
      for (const caller of [...kept, next]) await end(caller, two);
    },
    LIMIT,
  );

  it(
    "answer a call through LiveKit SIP with the owner's webhook, receive and send DTMF, and end at a hang-up",
    async () => {
      const rooms = new RoomServiceClient(server.url, server.apiKey, server.apiSecret);
      const dispatches = new AgentDispatchClient(server.url, server.apiKey, server.apiSecret);
      const name = `phone_+15550111_${randomUUID()}`;
      await rooms.createRoom({ name, emptyTimeout: 60, departureTimeout: 20 });
      const metadata = JSON.stringify({ account_id: accountId, agent_id: agentId });
      await dispatches.createDispatch(name, 'parley', { metadata });
      const guest = new RoomParticipant();
      guests.push(guest);
      const token = await roomToken(server, name, 'sip_+15550111', {
        isPhone: true,
        attributes: {
          'sip.callID': 'SCL_1',
          'sip.callStatus': 'ringing',
          'sip.phoneNumber': '+15550111',
          'sip.trunkPhoneNumber': '+15550100',
        },
      });
      await guest.execute({ type: 'join', url: server.url.replace('http', 'ws'), token });
      await guest.execute({ type: 'attributes', attributes: { 'sip.callStatus': 'active' } });
      await isAudible({ guest });
      const row = await database
        .db('calls')
        .where({ call_type: 'sip_inbound', from_number: '+15550111' })
        .orderBy('id', 'desc')
        .first();
      expect(row).toMatchObject({ state: 'live', to_number: '+15550100', agent_id: agentId });
      const inboundRequest = hook.requests.findLast(({ path }) => path === '/inbound');
      expect(inboundRequest?.body).toEqual({
        agent_id: agentId,
        call_id: row.call_id,
        from_number: '+15550111',
        to_number: '+15550100',
      });
      // RFC 4733: `*` and `#` have the codes 10 and 11.
      const keys = [
        [4, '4'],
        [2, '2'],
        [11, '#'],
      ] as const;
      await guest.execute({ type: 'dtmf', keys });
      const written = () => guest.all('text').map(({ from, text }) => [from, text]);
      await vi.waitFor(() => {
        expect(written()).toContainEqual(['sip_+15550111', 'Keypad input: 42#']);
      }, WAIT);
      const order = (what: string, body: object) =>
        ask(two, 'POST', `/calls/${row.call_id}/${what}`, body);
      const pressed = await order('keys', { keys: '1*d' });
      expect([pressed.status, pressed.body.status]).toEqual([200, 'done']);
      await vi.waitFor(() => {
        const receivedKeys = guest.all('dtmf').map(({ code, digit }) => [code, digit]);
        expect(receivedKeys).toEqual([
          [1, '1'],
          [10, '*'],
          [15, 'd'],
        ]);
      }, WAIT);
      const given = await order('transfer', { target_phone_number: '+15550199' });
      expect([given.status, given.body.code]).toEqual([409, 'CALL_CANNOT']);
      await guest.execute({ type: 'leave' });
      await vi.waitFor(async () => {
        expect((await calls().find(row.call_id))?.ended_reason).toBe('user_hangup');
      }, WAIT);
      const turns = await database.db('call_turns').where({ call_id: row.call_id, role: 'user' });
      expect(turns.map(({ text }) => text)).toEqual(['Keypad input: 42#']);
    },
    LIMIT,
  );

  /** Rooms are unavailable and all other parts are ready. */
  async function isWithoutLiveKit(product: Product): Promise<ConnectionDetails> {
    await vi.waitFor(async () => {
      const { status, parts } = await readiness(product.url);
      expect([status, parts.livekit]).toEqual([200, expect.stringContaining('not registered')]);
    }, WAIT);
    const wish = (more: object) =>
      ask(product, 'POST', '/connection/connection-details', { agent_id: agentId, ...more });
    for (const more of [{}, { transport: 'livekit' }]) {
      const refused = await wish(more);
      expect([refused.status, refused.body.code]).toEqual([502, 'PROVIDER_ERROR']);
    }
    const { status, body } = await wish({ transport: 'websocket' });
    expect(status).toBe(200);
    expect(body.server_url).toContain('/api/v1/calls/');
    return body;
  }

  it(
    'keep running and start without LiveKit: rooms are refused, sockets work, and rooms return with LiveKit',
    async () => {
      // A previous attempt may have left its server.
      await late?.stop();
      if (isStopped) two = { ...(await startProduct({ env })), apiKey: two.apiKey };
      isStopped = false;
      const { port } = new URL(server.url);
      await server.stop();
      await isWithoutLiveKit(two);
      isStopped = true;
      await two.stop();
      late = { ...(await startProduct({ env })), apiKey: two.apiKey };
      const client = new CallClient(await isWithoutLiveKit(late));
      await client.connect();
      await client.waitFor('transcript', ({ role, text }) => role === 'agent' && text !== '');
      client.close();
      server = await startLiveKitServer(tools['livekit-server'], { port: Number(port) });
      await vi.waitFor(async () => {
        expect((await readiness(late.url)).parts.livekit).toBe('up');
      }, WAIT);
      await isAudible(await call(late));
    },
    LIMIT,
  );
});
