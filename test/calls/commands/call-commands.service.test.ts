import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { CallCommandsRepository } from '../../../src/calls/commands/call-commands.repository.js';
import { CallCommandService } from '../../../src/calls/commands/call-commands.service.js';
import { CallRegistry, type LiveCall } from '../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase({ emptied: 'before-each' });
const opened: CallCommandService[] = [];
afterEach(async () => {
  for (const commands of opened.splice(0)) await commands.close();
});

/** A gateway's part in commands, without media: a call that it ends is written down as ended. */
function gateway({ endedWithinMs }: { endedWithinMs?: number } = {}) {
  const id = randomUUID();
  const calls = new CallsRepository(database.db, 0);
  const live = new CallRegistry();
  const ended: string[] = [];
  const commands = new CallCommandService({
    db: database.db,
    gatewayId: id,
    calls,
    commands: new CallCommandsRepository(database.db),
    live,
    log: pino({ level: 'silent' }),
    ...(endedWithinMs !== undefined && { endedWithinMs }),
  });
  commands.start();
  opened.push(commands);
  const hold = (callId: string, slowly?: () => Promise<unknown>) => {
    let over: Promise<void> | undefined;
    // As in a call, the first reason counts: a sweep may find it ended before it has gone from here.
    const end = (reason: string) => {
      over ??= finish(reason);
      return over;
    };
    const finish = async (reason: string) => {
      await slowly?.();
      ended.push(`${callId} ${reason}`);
      await calls.end(callId, reason as 'user_hangup');
      live.remove(callId);
    };
    const transfer = async () => {
      await slowly?.();
      return 'done';
    };
    const phone = { canTransfer: true, transfer };
    live.add(callId, { end, phone, call: { hangUp: end } } as unknown as LiveCall);
  };
  return { id, calls, commands, ended, hold };
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

/** A call that this gateway holds. */
async function begin({ id, calls, hold }: ReturnType<typeof gateway>): Promise<string> {
  const callId = await reserve(calls);
  await calls.claim(callId, id);
  hold(callId);
  return callId;
}

async function reasonOf(callId: string) {
  const row = await new CallsRepository(database.db, 0).find(callId);
  return row?.ended_reason;
}

/** The connections that listen to gateways' channels. */
function listeners() {
  return database
    .db('pg_stat_activity')
    .whereLike('query', 'listen "parley_%')
    .whereRaw('datname = current_database()')
    .pluck('pid');
}

const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

it('ends a call that another gateway holds, and has its record when it says so', async () => {
  const [holder, other] = [gateway(), gateway()];
  const callId = await begin(holder);
  await other.commands.end(callId, 'user_hangup');
  expect(holder.ended).toEqual([`${callId} user_hangup`]);
  expect(await reasonOf(callId)).toBe('user_hangup');
  await other.commands.end(callId, 'operator_ended'); // idempotent
  expect(await reasonOf(callId)).toBe('user_hangup');
  expect(await database.db('call_commands')).toEqual([]);
});

it('waits for what comes of a command by notice, not by asking the database again and again', async () => {
  const [holder, other] = [gateway(), gateway()];
  await waitFor(async () => expect(await listeners()).toHaveLength(2));
  const callId = await reserve(holder.calls);
  await holder.calls.claim(callId, holder.id);
  holder.hold(callId, () => database.db.raw('select pg_sleep(0.7)'));
  const answers = vi.spyOn(CallCommandsRepository.prototype, 'takeAnswer');
  const rows = vi.spyOn(other.calls, 'find');
  try {
    expect(await other.commands.transfer(callId, '+14155550100')).toBe('done');
    expect(answers.mock.calls.length).toBeLessThanOrEqual(3);
    await other.commands.end(callId, 'user_hangup');
    expect(rows.mock.calls.length).toBeLessThanOrEqual(3);
  } finally {
    answers.mockRestore();
  }
});

it('ends a call here without a detour, and one that waits for its client', async () => {
  const own = gateway();
  const callId = await begin(own);
  await own.commands.end(callId, 'user_hangup');
  expect(own.ended).toHaveLength(1);
  const waiting = await reserve(own.calls);
  await own.commands.end(waiting, 'user_hangup');
  expect(await reasonOf(waiting)).toBe('user_hangup');
});

it('hears of commands by notice, not only by sweeping', async () => {
  const [holder, other] = [gateway(), gateway()];
  await waitFor(async () => expect(await listeners()).toHaveLength(2));
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const silent = gateway(); // its sweep never comes
  vi.useRealTimers();
  await waitFor(async () => expect(await listeners()).toHaveLength(3));
  await other.commands.end(await begin(silent), 'user_hangup');
  expect(silent.ended).toHaveLength(1);
  expect(holder.ended).toEqual([]);
});

it('loses no command while its connection is broken, and listens again', async () => {
  const [holder, other] = [gateway(), gateway()];
  await waitFor(async () => expect(await listeners()).toHaveLength(2));
  const broken = await listeners();
  const callId = await begin(holder);
  await database.db.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where query like 'listen "parley_%' and datname = current_database()`,
  );
  await other.commands.end(callId, 'user_hangup');
  expect(holder.ended).toHaveLength(1);
  await waitFor(async () => {
    const again = await listeners();
    expect(again).toHaveLength(2);
    expect(again.filter((pid: number) => broken.includes(pid))).toEqual([]);
  });
});

it('finds a command whose notice was lost', async () => {
  const holder = gateway();
  const callId = await begin(holder);
  const command = JSON.stringify({ type: 'end', reason: 'operator_ended' });
  await database.db('call_commands').insert({ call_id: callId, command });
  await waitFor(() => expect(holder.ended).toEqual([`${callId} operator_ended`]));
});

it('frees the slot of a call whose gateway does not answer', async () => {
  const other = gateway({ endedWithinMs: 100 });
  const callId = await reserve(other.calls);
  await other.calls.claim(callId, randomUUID());
  await other.commands.end(callId, 'user_hangup');
  expect(await reasonOf(callId)).toBe('user_hangup');
  await new CallCommandsRepository(database.db).forgetEnded();
  expect(await database.db('call_commands')).toEqual([]);
});

it('hangs up what others have ended because this gateway seemed dead', async () => {
  const holder = gateway();
  const callId = await begin(holder);
  await holder.calls.endAllOf(holder.id, 'error_transport');
  await waitFor(() => expect(holder.ended).toEqual([`${callId} error_transport`]));
});

it('leaves commands of a newer version alone', async () => {
  const holder = gateway();
  const callId = await begin(holder);
  const command = JSON.stringify({ type: 'dance' });
  await database.db('call_commands').insert({ call_id: callId, command });
  await waitFor(async () => expect(await database.db('call_commands')).toEqual([]));
  expect(holder.ended).toEqual([]);
});
