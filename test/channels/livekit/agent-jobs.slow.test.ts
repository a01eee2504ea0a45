import { randomUUID } from 'node:crypto';
import { AgentDispatchClient, RoomServiceClient } from 'livekit-server-sdk';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { RoomClient } from '../../../src/channels/livekit/room-client.js';
import { roomOf } from '../../../src/channels/livekit/room-names.js';
import { RoomReaper } from '../../../src/channels/livekit/room-reaper.js';
import { makeAgentId } from '../../../src/features/agents/agent.model.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { accessTo, RoomGateway } from '../../support/harness/app/livekit-gateway.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { freePort } from '../../support/harness/process/free-port.js';
import {
  type LiveKitServer,
  startLiveKitServer,
} from '../../support/harness/process/livekit-server.js';
import { describeWith } from '../../support/harness/process/required-tools.js';

/** Longer than the sum of a test's timeouts. */
const LIMIT = { timeout: 240_000 };
const WAIT = { timeout: 60_000, interval: 50 };
/** LiveKit's timeout for an unanswered job, and a margin. */
const GIVEN_UP_MS = 5_000;
const log = pino({ level: 'silent' });

describeWith(['livekit-server'], 'LiveKit jobs', (tools) => {
  const database = withDatabase();
  let server: LiveKitServer;
  let port: number;
  let rooms: RoomServiceClient;
  let dispatches: AgentDispatchClient;
  let accountId: string;
  const gateways: RoomGateway[] = [];
  beforeAll(async () => {
    port = await freePort();
    server = await startLiveKitServer(tools['livekit-server'], { port });
    rooms = new RoomServiceClient(server.url, server.apiKey, server.apiSecret);
    dispatches = new AgentDispatchClient(server.url, server.apiKey, server.apiSecret);
    accountId = await new AccountsRepository(database.db).insert('An account of a test');
  });
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.stop();
  });
  afterAll(() => server?.stop());

  async function open(options?: ConstructorParameters<typeof RoomGateway>[2]) {
    const gateway = new RoomGateway(database.db, server, options);
    gateways.push(gateway);
    await vi.waitFor(() => expect(gateway.isUp).toBe(true), WAIT);
    return gateway;
  }

  const calls = () => new CallsRepository(database.db, 0);

  async function reserve(of = accountId): Promise<string> {
    const callId = randomUUID();
    const agent = { agentId: randomUUID(), agentName: 'Pool' };
    const call = { callId, accountId: of, ...agent, callType: 'web', options: {} } as const;
    expect(await calls().reserve(call)).toBeUndefined();
    return callId;
  }

  /** Creates a room with its dispatch, as a client's token does. */
  async function openRoom(callId: string): Promise<void> {
    await rooms.createRoom({ name: roomOf(callId), emptyTimeout: 60, departureTimeout: 20 });
    await dispatchTo(callId);
  }

  async function dispatchTo(callId: string): Promise<void> {
    const metadata = JSON.stringify({ call_id: callId });
    await dispatches.createDispatch(roomOf(callId), 'parley', { metadata });
  }

  /**
   * Waits until the gateways have these calls; repeats the dispatch of jobs that LiveKit gave up.
   */
  async function waitForCalls(has: (callId: string) => boolean, callIds: readonly string[]) {
    let dispatchedAt = performance.now();
    await vi.waitFor(async () => {
      const missing = callIds.filter((callId) => !has(callId));
      if (missing.length > 0 && performance.now() - dispatchedAt > GIVEN_UP_MS) {
        dispatchedAt = performance.now();
        await Promise.all(missing.map(dispatchTo));
      }
      expect(missing).toEqual([]);
    }, WAIT);
  }

  const stateOf = async (callId: string) => (await calls().find(callId))?.state;
  const roomExists = async (callId: string) => (await rooms.listRooms([roomOf(callId)])).length > 0;

  it(
    'bring a call to the gateway that accepts them, and close its room with it',
    LIMIT,
    async () => {
      const gateway = await open();
      const callId = await reserve();
      await openRoom(callId);
      await waitForCalls((id) => gateway.activeCallIds.has(id), [callId]);
      expect([...gateway.activeCallIds]).toEqual([callId]);
      expect((await calls().find(callId))?.gateway_id).toBe(gateway.id);
      await gateway.end(callId);
      await vi.waitFor(async () => expect(await roomExists(callId)).toBe(false), WAIT);
      expect(await stateOf(callId)).toBe('ended');
    },
  );

  it(
    'are shared by two gateways within their slots: 50 rooms, 30 slots, each call served once',
    LIMIT,
    async () => {
      const one = await open({ capacity: 15 });
      const two = await open({ capacity: 15 });
      const callIds = await Promise.all(Array.from({ length: 50 }, () => reserve()));
      await Promise.all(callIds.map((callId) => openRoom(callId)));
      const isHeld = (callId: string) =>
        one.activeCallIds.has(callId) || two.activeCallIds.has(callId);
      await vi.waitFor(
        async () => {
          // A busy machine may lose jobs: LiveKit gives up a job that is not answered in time.
          if (one.activeCallIds.size + two.activeCallIds.size < 30) {
            await Promise.all(callIds.filter((callId) => !isHeld(callId)).map(dispatchTo));
          }
          expect(one.activeCallIds.size + two.activeCallIds.size).toBe(30);
        },
        { ...WAIT, interval: 3_000 },
      );
      expect([one.maxActiveCalls, two.maxActiveCalls]).toEqual([15, 15]);
      const served = [...one.claimedCallIds, ...two.claimedCallIds];
      expect(new Set(served).size).toBe(served.length);
      const live = await database.db('calls').whereIn('call_id', callIds).where({ state: 'live' });
      expect(live).toHaveLength(30);
      for (const { call_id, gateway_id } of live) {
        expect((gateway_id === one.id ? one : two).activeCallIds.has(call_id)).toBe(true);
      }
      // A slot that is free again is used again.
      const [first] = one.activeCallIds;
      await one.end(first!);
      const next = await reserve();
      await openRoom(next);
      await vi.waitFor(
        async () => {
          // A job that arrives before LiveKit knows of the free slot is given to no gateway.
          if (!one.activeCallIds.has(next)) await dispatchTo(next);
          expect(one.activeCallIds.has(next)).toBe(true);
        },
        { ...WAIT, interval: 500 },
      );
      expect([one.maxActiveCalls, two.maxActiveCalls]).toEqual([15, 15]);
    },
  );

  it("respect the account's slots, which the database counts", LIMIT, async () => {
    const account = await new AccountsRepository(database.db).insert('Another account');
    const gateway = await open({ slots: 2 });
    // More calls wait than there are slots: their clients were late and the slots were given to
    // others.
    const callIds = await Promise.all(Array.from({ length: 5 }, () => reserve(account)));
    await database
      .db('calls')
      .whereIn('call_id', callIds)
      .update({ reserved_until: database.db.raw(`now() - interval '1 s'`) });
    await Promise.all(callIds.map((callId) => openRoom(callId)));
    await vi.waitFor(async () => {
      const there = await Promise.all(callIds.map(roomExists));
      expect(there.filter(Boolean)).toHaveLength(2);
    }, WAIT);
    expect(gateway.activeCallIds.size).toBe(2);
  });

  it('are served once for any number of dispatches, by any gateway', LIMIT, async () => {
    const both = [await open(), await open()];
    const callId = await reserve();
    await openRoom(callId);
    for (let i = 0; i < 4; i++) await dispatchTo(callId);
    const served = () => both.flatMap((gateway) => gateway.claimedCallIds);
    await waitForCalls((id) => served().includes(id), [callId]);
    expect(served()).toEqual([callId]);
    // A later call shows that the earlier jobs were answered.
    const next = await reserve();
    await openRoom(next);
    await waitForCalls((id) => served().includes(id), [next]);
    expect(served().sort()).toEqual([callId, next].sort());
    expect(await roomExists(callId)).toBe(true);
  });

  it(
    'are refused for unknown or ended calls, calls of another room, and invalid metadata',
    LIMIT,
    async () => {
      const gateway = await open();
      const over = await reserve();
      await calls().end(over, 'user_hangup');
      const other = await reserve();
      for (const metadata of [
        JSON.stringify({ call_id: over }),
        JSON.stringify({ call_id: randomUUID() }),
        JSON.stringify({ call_id: other }),
        JSON.stringify({ account_id: accountId, agent_id: randomUUID() }),
        '{}',
        'no JSON',
        '',
      ]) {
        const name = `hall-${randomUUID()}`;
        await rooms.createRoom({ name });
        await dispatches.createDispatch(name, 'parley', { metadata });
      }
      const last = await reserve();
      await openRoom(last);
      await waitForCalls((id) => gateway.claimedCallIds.includes(id), [last]);
      expect(gateway.claimedCallIds).toEqual([last]);
      expect(await stateOf(other)).toBe('reserved');
    },
  );

  it(
    'create the call of a phone caller once, with its numbers and for a deployed agent',
    LIMIT,
    async () => {
      let answer: () => void = () => undefined;
      const hasCallerSubscribed = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const gateway = await open({ hasCallerSubscribed });
      const id = makeAgentId();
      const agents = new AgentsRepository(database.db);
      const config = {};
      await agents.insert({ id, accountId, name: 'Pool', config, kbId: null, status: 'deployed' });
      const metadata = JSON.stringify({ account_id: accountId, agent_id: id });
      const name = `phone_+15550111_${randomUUID()}`;
      await rooms.createRoom({ name });
      await dispatches.createDispatch(name, 'parley', { metadata });
      await dispatches.createDispatch(name, 'parley', { metadata });
      const row = await vi.waitFor(async () => {
        const found = await database.db('calls').where({ agent_id: id }).first();
        expect(found?.state).toBe('reserved');
        return found;
      }, WAIT);
      // The call starts when the phone stops ringing.
      expect(gateway.claimedCallIds).toEqual([]);
      answer();
      await vi.waitFor(() => expect(gateway.claimedCallIds).toEqual([row.call_id]), WAIT);
      expect(await calls().find(row.call_id)).toMatchObject({
        call_type: 'sip_inbound',
        from_number: '+15550111',
        to_number: '+15550100',
        agent_id: id,
        state: 'live',
      });
      await agents.change(accountId, id, () => ({ status: 'paused' }));
      const after = `phone_+15550112_${randomUUID()}`;
      await rooms.createRoom({ name: after });
      await dispatches.createDispatch(after, 'parley', { metadata });
      const last = await reserve();
      await openRoom(last);
      await waitForCalls((id) => gateway.claimedCallIds.includes(id), [last]);
      expect(gateway.claimedCallIds[1]).toBe(last);
    },
  );

  it(
    'start no call before the caller subscribes, and none that is cancelled before',
    LIMIT,
    async () => {
      const gateway = await open({ hasCallerSubscribed: new Promise(() => undefined) });
      const callId = await reserve();
      await openRoom(callId);
      await vi.waitFor(async () => expect(await stateOf(callId)).toBe('live'), WAIT);
      expect(gateway.claimedCallIds).toEqual([]);
      await gateway.stop();
      expect(await stateOf(callId)).toBe('ended');
      expect(gateway.claimedCallIds).toEqual([]);
    },
  );

  it('go to other gateways while one is draining', LIMIT, async () => {
    const leaving = await open();
    const staying = await open();
    leaving.drain();
    const callIds = await Promise.all(Array.from({ length: 8 }, () => reserve()));
    await Promise.all(callIds.map((callId) => openRoom(callId)));
    await waitForCalls((id) => staying.activeCallIds.has(id), callIds);
    expect(leaving.claimedCallIds).toEqual([]);
  });

  it(
    'do not affect running calls while LiveKit is unavailable, and continue when it is back',
    LIMIT,
    async () => {
      const gateway = await open();
      const callId = await reserve();
      await openRoom(callId);
      await waitForCalls((id) => gateway.activeCallIds.has(id), [callId]);
      await server.stop();
      try {
        await vi.waitFor(() => expect(gateway.isUp).toBe(false), WAIT);
        expect(gateway.disconnectReasons).toHaveLength(1);
        expect(gateway.activeCallIds.has(callId)).toBe(true);
      } finally {
        server = await startLiveKitServer(tools['livekit-server'], { port });
      }
      await vi.waitFor(() => expect(gateway.isUp).toBe(true), WAIT);
      expect(gateway.activeCallIds.has(callId)).toBe(true);
      const next = await reserve();
      await openRoom(next);
      await waitForCalls((id) => gateway.activeCallIds.has(id), [next]);
    },
  );

  it('are marked as accepted when a gateway has accepted them', LIMIT, async () => {
    const cluster = new RoomClient(accessTo(server));
    const gateway = await open();
    const callId = await reserve();
    await openRoom(callId);
    await waitForCalls((id) => gateway.activeCallIds.has(id), [callId]);
    await vi.waitFor(
      async () => expect(await cluster.hasRunningJob(roomOf(callId))).toBe(true),
      WAIT,
    );
    const alone = await reserve();
    await rooms.createRoom({ name: roomOf(alone) });
    expect(await cluster.hasRunningJob(roomOf(alone))).toBe(false);
  });

  it(
    'that no gateway has accepted end their calls, and rooms of ended calls are closed',
    LIMIT,
    async () => {
      const cluster = new RoomClient(accessTo(server));
      const old = {
        listRooms: async () =>
          (await cluster.listRooms()).map((room) => ({ ...room, ageS: room.ageS + 10 })),
        closeRoom: (name: string) => cluster.closeRoom(name),
        hasRunningJob: (name: string) => cluster.hasRunningJob(name),
      };
      const [waiting, over, live] = [await reserve(), await reserve(), await reserve()];
      for (const callId of [waiting, over, live]) await rooms.createRoom({ name: roomOf(callId) });
      await rooms.createRoom({ name: 'a stranger’s' });
      await calls().end(over, 'user_hangup');
      await calls().claim(live, randomUUID());
      await new RoomReaper({ roomClient: cluster, calls: calls(), log }).sweep();
      expect(await Promise.all([waiting, over].map(roomExists))).toEqual([true, false]);
      await new RoomReaper({ roomClient: old, calls: calls(), log }).sweep();
      expect(await Promise.all([waiting, live].map(roomExists))).toEqual([false, true]);
      expect(await rooms.listRooms(['a stranger’s'])).toHaveLength(1);
      expect((await calls().find(waiting))?.ended_reason).toBe('error_transport');
      expect(await stateOf(live)).toBe('live');
    },
  );
});
