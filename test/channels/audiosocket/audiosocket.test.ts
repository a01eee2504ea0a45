import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CallInput, Transport } from '../../../agents-runtime/contract/transport.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import {
  AUDIOSOCKET_KIND,
  AudioSocketParser,
  audioPacket,
  audioSocketPacket,
  uuidBytes,
} from '../../../agents-runtime/transports/telephony/audiosocket-protocol.js';
import type { PhoneTransport } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import { CallSlots } from '../../../src/calls/admission/call-slots.js';
import { CallRegistry } from '../../../src/calls/session/call-registry.js';
import type { CallSessionFactory } from '../../../src/calls/session/call-session.factory.js';
import { MediaConnector } from '../../../src/calls/session/media-connector.js';
import type { CallOptions } from '../../../src/calls/store/call.model.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AudioSocketServer } from '../../../src/channels/audiosocket/audiosocket-server.js';
import { createAudioSocket } from '../../../src/composition/telephony.module.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { type Ask, withControlPlane } from '../../support/harness/app/control-plane-app.js';

const GATEWAY = '11111111-1111-4111-8111-111111111111';
const WAIT = { timeout: 30_000 };
const log = pino({ level: 'silent' });

/** Started calls, with their input. */
const startedCalls: { readonly callId: string; readonly transport: Transport; inputs: string[] }[] =
  [];
let requestedOptions: CallOptions = {};
/** IDs of the calls for which the inbound webhook was requested. */
const announced: string[] = [];
let audioSocket: ReturnType<typeof createAudioSocket>;

const plane = withControlPlane({
  routes: (db) => {
    const calls = new CallsRepository(db, 0);
    const load = { admitsCalls: true };
    const live = new CallRegistry();
    const slots = new CallSlots({ calls, registry: live, load, warmCaches: async () => undefined });
    const agents = new AgentsRepository(db);
    const phones = new MediaConnector({
      sessions: { claim: async (...wanted) => claimFrom(calls, agents, ...wanted) },
      ticker: new FrameTicker(systemClock),
    });
    audioSocket = createAudioSocket({
      config: { AUDIOSOCKET_PORT: 0, AUDIOSOCKET_HOST: '127.0.0.1' },
      db,
      log,
      agents,
      calls,
      slots,
      connector: phones,
      inboundWebhooks: {
        optionsFor: async (_agent, { callId }) => {
          announced.push(callId);
          return requestedOptions;
        },
      },
    });
    return audioSocket.routes;
  },
});

/** Claims calls in the database without models, which these tests do not need. */
async function claimFrom(
  calls: CallsRepository,
  agents: AgentsRepository,
  ...[callId, { mustBeDeployed } = {}]: Parameters<CallSessionFactory['claim']>
): ReturnType<CallSessionFactory['claim']> {
  const row = await calls.claim(callId, GATEWAY);
  if (row === undefined || typeof row === 'string') return row ?? 'not_reserved';
  const agent = await agents.find(row.account_id, row.agent_id);
  if (mustBeDeployed && agent?.status !== 'deployed') {
    await calls.end(callId, 'error_transport');
    return 'agent_not_deployed';
  }
  const start = (
    transport: Transport,
    _: unknown,
    startTransport: (call: CallInput) => void,
  ): void => {
    const inputs: string[] = [];
    startedCalls.push({ callId, transport, inputs });
    const record = (text: string) => void inputs.push(text);
    startTransport({
      connected: () => record('connected'),
      audio: (samples) => record(`audio ${samples.length}`),
      typed: record,
      say: () => undefined,
      played: () => undefined,
      lost: () => record('lost'),
      regained: () => record('regained'),
      hangUp(reason) {
        record(reason);
        void calls.end(callId, reason).then(() => transport.close());
      },
    });
  };
  return {
    row,
    voiceSampleRate: 24_000,
    start,
    cancel: async () => calls.end(callId, 'error_transport'),
  } as never;
}

beforeAll(() => audioSocket.listen());
afterAll(() => audioSocket.close());

async function deployed(ask: Ask): Promise<string> {
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  return agent_id;
}

const announce = (ask: Ask, body: object) => ask('POST', '/telephony/audiosocket/calls', body);

/** A connection of an Asterisk, and the kinds of the packets that it received. */
function exchange(port: number): { readonly socket: Socket; readonly kinds: number[] } {
  const socket = connect(port, '127.0.0.1');
  const kinds: number[] = [];
  const parser = new AudioSocketParser();
  socket.on('data', (chunk: Buffer) => parser.push(chunk, (kind) => void kinds.push(kind)));
  socket.on('error', () => undefined);
  return { socket, kinds };
}

const hello = (uuid: string) => audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(uuid));
const silence = audioPacket(new Int16Array(160), 8_000);
const beganOf = (callId: string) => startedCalls.find((each) => each.callId === callId);

describe('registered call', () => {
  it('has its numbers and variables, with those of the request before those of the webhook', async () => {
    const ask = await plane.asNewAccount();
    const agent_id = await deployed(ask);
    requestedOptions = { dynamic_variables: { name: 'Ann', tier: 'gold' } };
    const { status, body } = await announce(ask, {
      agent_id,
      from_number: '"Bob" <sip:+15550100@pbx.example.test;user=phone>',
      to_number: '+1 (555) 0199',
      dynamic_variables: { name: 'Bob' },
    });
    requestedOptions = {};
    expect(status).toBe(201);
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    const row = await plane.database.db('calls').where({ call_id: body.call_id }).first();
    expect(row).toMatchObject({
      call_type: 'sip_inbound',
      state: 'reserved',
      from_number: '+15550100',
      to_number: '+15550199',
      options: { dynamic_variables: { name: 'Bob', tier: 'gold' } },
    });
    expect(body.uuid).not.toBe(body.call_id);
  });

  it('is created once by a repeated request with an idempotency key', async () => {
    const ask = await plane.asNewAccount();
    const agent_id = await deployed(ask);
    const send = () =>
      ask('POST', '/telephony/audiosocket/calls', { agent_id }, { 'idempotency-key': 'ring' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(await plane.database.db('calls').where({ agent_id })).toHaveLength(1);
  });

  it('is rejected with API errors, without a webhook request', async () => {
    announced.length = 0;
    const ask = await plane.asNewAccount();
    const agent_id = await deployed(ask);
    await ask('POST', `/agent/${agent_id}/pause`);
    expect(await announce(ask, { agent_id })).toMatchObject({
      status: 403,
      body: { code: 'CALL_VALIDATION_FAILED', reason: 'agent_not_deployed' },
    });
    expect(announced).toEqual([]);
    const otherAccount = await plane.asNewAccount();
    expect((await announce(otherAccount, { agent_id })).status).toBe(404);
    const keyed = plane.askAs(await plane.makeKey(await plane.makeAccount(), ['speech']));
    expect((await announce(keyed, { agent_id })).status).toBe(403);
    const withoutCredits = await plane.makeAccount();
    await plane.database.db('accounts').where({ id: withoutCredits }).update({ balance: 0 });
    const asPoor = plane.askAs(await plane.makeKey(withoutCredits));
    expect(await announce(asPoor, { agent_id: await deployed(asPoor) })).toMatchObject({
      status: 403,
      body: { reason: 'insufficient_credits' },
    });
    expect(announced).toEqual([]);
  });
});

describe('AudioSocket connection', () => {
  it('with the UUID is the call: audio, DTMF and hang-up are received, and the UUID is valid once', async () => {
    const ask = await plane.asNewAccount();
    const { body } = await announce(ask, { agent_id: await deployed(ask) });
    const { socket } = exchange(body.port);
    const stream = Buffer.concat([hello(body.uuid), silence, silence]);
    // Splits packets at arbitrary positions.
    for (let at = 0; at < stream.length; at += 7) socket.write(stream.subarray(at, at + 7));
    await vi.waitFor(() => expect(beganOf(body.call_id)?.inputs).toContain('connected'), WAIT);
    const { inputs } = beganOf(body.call_id)!;
    socket.write(silence);
    await vi.waitFor(
      () => expect(inputs.some((line) => line.startsWith('audio'))).toBe(true),
      WAIT,
    );
    for (const key of '7#')
      socket.write(audioSocketPacket(AUDIOSOCKET_KIND.dtmf, Buffer.from(key)));
    await vi.waitFor(() => expect(inputs).toContain('Keypad input: 7#'), WAIT);

    const second = exchange(body.port);
    second.socket.write(Buffer.concat([hello(body.uuid), silence]));
    await vi.waitFor(() => expect(second.socket.closed).toBe(true), WAIT);
    expect(second.kinds).toEqual([AUDIOSOCKET_KIND.hangup]);

    socket.end();
    await vi.waitFor(() => expect(inputs).toContain('user_hangup'), WAIT);
    const row = await plane.database.db('calls').where({ call_id: body.call_id }).first();
    expect(row.gateway_id).toBe(GATEWAY);
  });

  it('receives paced audio in its own format, and a hang-up packet and the end of the stream', async () => {
    const ask = await plane.asNewAccount();
    const { body } = await announce(ask, { agent_id: await deployed(ask) });
    const { socket, kinds } = exchange(body.port);
    socket.write(Buffer.concat([hello(body.uuid), audioPacket(new Int16Array(320), 16_000)]));
    await vi.waitFor(() => expect(beganOf(body.call_id)?.inputs).toContain('connected'), WAIT);
    const { transport } = beganOf(body.call_id)!;
    transport.sendAudio(new Float32Array(1_600).fill(0.1));
    await vi.waitFor(() => expect(kinds.length).toBeGreaterThanOrEqual(5), WAIT);
    transport.close();
    await vi.waitFor(() => expect(socket.closed).toBe(true), WAIT);
    expect(new Set(kinds.slice(0, -1))).toEqual(new Set([0x12]));
    expect(kinds.at(-1)).toBe(AUDIOSOCKET_KIND.hangup);
  });

  it('that closes while its UUID is looked up leaves no call behind', async () => {
    const lines: string[] = [];
    const server = new AudioSocketServer({
      log,
      registrations: {
        async redeem() {
          socket.resetAndDestroy();
          // Usually the close arrives within this time. In either order, the transport is notified.
          await sleep(100);
          return 'call';
        },
      },
      connector: {
        connect: ({ link }) =>
          ({
            detach(reason: string) {
              lines.push(reason);
              link.close();
            },
          }) as PhoneTransport,
      },
    });
    await server.listen(0, '127.0.0.1');
    const { socket } = exchange(server.port!);
    socket.write(Buffer.concat([hello('40325ec2-5efd-4bd3-805f-53576e581d13'), silence]));
    await vi.waitFor(() => expect(lines).toEqual(['error_transport']), WAIT);
    server.close();
  });

  it('is refused for unknown and expired UUIDs, silence, invalid packets and a paused agent', async () => {
    const ask = await plane.asNewAccount();
    const agent_id = await deployed(ask);
    const { body: expired } = await announce(ask, { agent_id });
    await plane.database
      .db('audiosocket_calls')
      .where({ uuid: expired.uuid })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    const { body: paused } = await announce(ask, { agent_id });
    await ask('POST', `/agent/${agent_id}/pause`);
    const openings: readonly Buffer[] = [
      Buffer.concat([hello('40325ec2-5efd-4bd3-805f-53576e581d13'), silence]),
      Buffer.concat([hello(expired.uuid), silence]),
      Buffer.concat([hello(paused.uuid), silence]),
      silence,
      Buffer.from('GET / HTTP/1.1\r\nHost: example.test\r\n\r\n'.repeat(2_000)),
      Buffer.alloc(0),
    ];
    const lines = openings.map((opening) => {
      const line = exchange(paused.port);
      line.socket.write(opening);
      return line;
    });
    await Promise.all(
      lines.map(
        ({ socket }) =>
          socket.closed || once(socket, 'close', { signal: AbortSignal.timeout(30_000) }),
      ),
    );
    for (const { kinds } of lines)
      expect(kinds.filter((kind) => kind !== AUDIOSOCKET_KIND.hangup)).toEqual([]);
    for (const { call_id } of [expired, paused]) expect(beganOf(call_id)).toBeUndefined();
    await vi.waitFor(async () => {
      const row = await plane.database.db('calls').where({ call_id: paused.call_id }).first();
      expect(row.state).toBe('ended');
    }, WAIT);
  });
});
