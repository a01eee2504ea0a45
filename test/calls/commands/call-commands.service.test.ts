import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallCommandService } from '../../../src/calls/commands/call-commands.service.js';
import { peerCommands } from '../../../src/calls/commands/peer-commands.js';
import { CallRegistry, type LiveCall } from '../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { createPeersModule } from '../../../src/composition/peers.module.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { GatewaysRepository } from '../../../src/platform/cluster/gateways.repository.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase({ emptied: 'before-each' });
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

type Gateway = Awaited<ReturnType<typeof gateway>>;

/** A gateway's command handling without media. A call that it ends is recorded as ended. */
async function gateway({ isReachable = true } = {}) {
  const id = randomUUID();
  const { db } = database;
  const calls = new CallsRepository(db, 0);
  const live = new CallRegistry();
  const log = pino({ level: 'silent' });
  const secrets = new SecretKeys(['the secret of all gateways']);
  const peers = createPeersModule({ gatewayId: id, db, secrets, log });
  const { peerClient, peerServer, changes } = peers;
  const gateways = new GatewaysRepository(db);
  const ended: string[] = [];
  const said: string[] = [];
  const commands = new CallCommandService({
    calls,
    gateways,
    peers: peerClient,
    registry: live,
    log,
  });
  peerServer.addRoutes(peerCommands(live));
  const address = await peerServer.listen('127.0.0.1');
  await gateways.heartbeat(id, isReachable ? address : '127.0.0.1:9');
  commands.watchEndedCalls(changes);
  const ending = new Set<Promise<void>>();
  const hold = (callId: string, slowly?: () => Promise<unknown>) => {
    let over: Promise<void> | undefined;
    // The first reason is kept, as in a call.
    const end = (reason: string) => {
      over ??= finish(reason);
      ending.add(over);
      return over;
    };
    const finish = async (reason: string) => {
      await slowly?.();
      await calls.end(callId, reason as 'user_hangup');
      ended.push(`${callId} ${reason}`);
      live.remove(callId);
    };
    const transfer = async () => {
      await slowly?.();
      return 'done';
    };
    const phone = { canTransfer: true, transfer };
    const say = (text: string) => void said.push(text);
    live.add(callId, { end, phone, call: { hangUp: end, say } } as unknown as LiveCall);
  };
  opened.push(async () => {
    await peers.closePeers();
    // The tables are emptied before the next test: all writes must be complete.
    await Promise.all(ending);
  });
  return { id, calls, commands, ended, said, hold };
}

async function reserve(calls: CallsRepository): Promise<string> {
  const callId = randomUUID();
  await calls.reserve({
    callId,
    accountId: await new AccountsRepository(database.db).insert('An account of a test'),
    agentId: randomUUID(),
    agentName: 'Pool',
    callType: 'web',
    options: {},
  });
  return callId;
}

/** Starts a call on this gateway. */
async function begin({ id, calls, hold }: Gateway): Promise<string> {
  const callId = await reserve(calls);
  await calls.claim(callId, id);
  hold(callId);
  return callId;
}

async function reasonOf(callId: string) {
  const row = await new CallsRepository(database.db, 0).find(callId);
  return row?.ended_reason;
}

/** The database connections that listen for changes. */
function listeners() {
  return database
    .db('pg_stat_activity')
    .whereLike('query', 'listen "parley_changes"%')
    .whereRaw('datname = current_database()')
    .pluck('pid');
}

const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

it('a call on another gateway is ended, and its record is complete when the command returns', async () => {
  const [holder, other] = [await gateway(), await gateway()];
  const callId = await begin(holder);
  await other.commands.end(callId, 'user_hangup');
  expect(holder.ended).toEqual([`${callId} user_hangup`]);
  expect(await reasonOf(callId)).toBe('user_hangup');
  await other.commands.end(callId, 'operator_ended'); // idempotent
  expect(await reasonOf(callId)).toBe('user_hangup');
});

it('the response to a command is awaited without polling the database', async () => {
  const [holder, other] = [await gateway(), await gateway()];
  const callId = await reserve(holder.calls);
  await holder.calls.claim(callId, holder.id);
  holder.hold(callId, () => database.db.raw('select pg_sleep(0.7)'));
  const rows = vi.spyOn(other.calls, 'find');
  const transfer = { type: 'transfer', target: '+14155550100' } as const;
  expect(await other.commands.send(callId, transfer)).toBe('done');
  await other.commands.end(callId, 'user_hangup');
  expect(rows.mock.calls.length).toBeLessThanOrEqual(3);
});

it('a local call and a call without a client are ended directly', async () => {
  const own = await gateway();
  const callId = await begin(own);
  await own.commands.end(callId, 'user_hangup');
  expect(own.ended).toHaveLength(1);
  const waiting = await reserve(own.calls);
  await own.commands.end(waiting, 'user_hangup');
  expect(await reasonOf(waiting)).toBe('user_hangup');
});

it('a call ended by another gateway is hung up on notification', async () => {
  const holder = await gateway();
  await waitFor(async () => expect(await listeners()).toHaveLength(1));
  const callId = await begin(holder);
  const other = await gateway();
  await other.calls.end(callId, 'operator_ended');
  await waitFor(() => expect(holder.ended).toEqual([`${callId} operator_ended`]));
});

it('after a lost connection, listening resumes and calls ended meanwhile are hung up', async () => {
  const [holder, other] = [await gateway(), await gateway()];
  await waitFor(async () => expect(await listeners()).toHaveLength(2));
  const broken = await listeners();
  const callId = await begin(holder);
  await database.db.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where query like 'listen "parley_changes"%' and datname = current_database()`,
  );
  await other.calls.end(callId, 'user_hangup');
  await waitFor(() => expect(holder.ended).toEqual([`${callId} user_hangup`]));
  await waitFor(async () => {
    const again = await listeners();
    expect(again).toHaveLength(2);
    expect(again.filter((pid: number) => broken.includes(pid))).toEqual([]);
  });
});

it('ended calls are found although their notification was lost', async () => {
  const holder = await gateway();
  const callId = await begin(holder);
  const ended = { state: 'ended', ended_at: database.db.fn.now(), ended_reason: 'operator_ended' };
  await database.db('calls').where({ call_id: callId }).update(ended);
  await holder.commands.hangUpEnded();
  await waitFor(() => expect(holder.ended).toEqual([`${callId} operator_ended`]));
});

describe('call on an unreachable gateway', () => {
  it.each([
    ['is dead', undefined],
    ['does not answer', '127.0.0.1:9'],
  ])('ends and frees its slot if the gateway %s', async (_, address) => {
    const other = await gateway();
    const callId = await reserve(other.calls);
    const holder = randomUUID();
    await new GatewaysRepository(database.db).heartbeat(holder, address);
    await other.calls.claim(callId, holder);
    await other.commands.end(callId, 'user_hangup');
    expect(await reasonOf(callId)).toBe('user_hangup');
  });

  it('rejects other commands', async () => {
    const [holder, other] = [await gateway({ isReachable: false }), await gateway()];
    const callId = await begin(holder);
    for (const command of [
      { type: 'say', text: 'Hello.' },
      { type: 'keys', keys: '1' },
      { type: 'transfer', target: '+14155550100' },
    ] as const) {
      const sent = other.commands.send(callId, command);
      await expect(sent).rejects.toMatchObject({ code: 'UNREACHABLE' });
    }
    expect(holder.said).toEqual([]);
    await other.commands.end(callId, 'user_hangup');
    expect(await reasonOf(callId)).toBe('user_hangup');
    await waitFor(() => expect(holder.ended).toEqual([`${callId} user_hangup`]));
  });
});

it('a command is sent to the gateway of the call, and an unknown command is rejected', async () => {
  const [holder, other] = [await gateway(), await gateway()];
  const callId = await begin(holder);
  expect(await other.commands.send(callId, { type: 'say', text: 'Hello.' })).toBe('done');
  expect(holder.said).toEqual(['Hello.']);
  const dance = other.commands.send(callId, { type: 'dance' } as never);
  await expect(dance).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(await other.commands.send(randomUUID(), { type: 'say', text: 'Hello.' })).toBeUndefined();
});

it('a gateway that was taken for dead hangs up the calls that others have ended', async () => {
  const holder = await gateway();
  const callId = await begin(holder);
  await holder.calls.endAllOf(holder.id, 'error_transport');
  await waitFor(() => expect(holder.ended).toEqual([`${callId} error_transport`]));
});
