import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CreditMonitor } from '../../../src/calls/admission/credit-monitor.js';
import type { LiveCall } from '../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { harness } from '../../support/harness/call/call-harness.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase();
const GATEWAY = randomUUID();

async function account(balance: number | null, pricePerSecond: number) {
  const id = await new AccountsRepository(database.db).insert('An account of a test');
  const prices = { balance, price_per_call_second: pricePerSecond };
  await database.db('accounts').where({ id }).update(prices);
  return id;
}

/** A call that has run for so long. */
async function runningCall(accountId: string, seconds: number, gatewayId = GATEWAY) {
  const calls = new CallsRepository(database.db, 0);
  const callId = randomUUID();
  await calls.reserve({
    callId,
    accountId,
    agentId: randomUUID(),
    agentName: 'Pool',
    callType: 'web',
    options: {},
  });
  await calls.claim(callId, gatewayId);
  await calls.start(callId);
  const startedAt = database.db.raw(`now() - interval '1 second' * ?`, [seconds]);
  await database.db('calls').where({ call_id: callId }).update({ started_at: startedAt });
  return callId;
}

/** Looks once, and says which of these calls are told to end, and why. */
async function lookAt(...callIds: string[]) {
  const ended: string[] = [];
  const watch = new CreditMonitor({
    calls: new CallsRepository(database.db, 0),
    gatewayId: GATEWAY,
    registry: {
      size: callIds.length,
      get: (callId) =>
        ({
          call: { hangUp: (reason: string) => ended.push(`${callId} ${reason}`) },
        }) as unknown as LiveCall,
    },
    log: pino({ level: 'silent' }),
  });
  await watch.check();
  return ended.filter((line) => callIds.some((callId) => line.startsWith(callId)));
}

it('ends a call when its account has spent its balance on it', async () => {
  const accountId = await account(10, 0.5);
  const callId = await runningCall(accountId, 2);
  expect(await lookAt(callId)).toEqual([]);
  await database
    .db('calls')
    .where({ call_id: callId })
    .update({ started_at: database.db.raw(`now() - interval '21 s'`) });
  expect(await lookAt(callId)).toEqual([`${callId} insufficient_credits`]);
});

it('counts all calls of the account together, wherever they run, and ends its own', async () => {
  const accountId = await account(10, 0.5);
  const here = await runningCall(accountId, 11);
  const elsewhere = await runningCall(accountId, 11, randomUUID());
  expect(await lookAt(here, elsewhere)).toEqual([`${here} insufficient_credits`]);
});

it('leaves alone whose balance is unlimited, and whose calls are free', async () => {
  const unlimited = await runningCall(await account(null, 5), 1_000);
  const free = await runningCall(await account(0.000_001, 0), 1_000);
  expect(await lookAt(unlimited, free)).toEqual([]);
});

it('takes what the call cost from the balance when it ends, once', async () => {
  const accountId = await account(100, 2);
  const callId = await runningCall(accountId, 10);
  const calls = new CallsRepository(database.db, 0);
  await Promise.all([calls.end(callId, 'user_hangup'), calls.end(callId, 'inactivity')]);
  const { balance } = await database.db('accounts').where({ id: accountId }).first();
  const { credits_used: used } = (await calls.find(callId))!;
  expect(Number(used)).toBeGreaterThanOrEqual(20);
  expect(Number(used)).toBeLessThan(80);
  expect(Number(balance) + Number(used)).toBeCloseTo(100, 5);
});

it('tells the client why, before the call ends', async () => {
  const { call, clock, transport, ended } = harness();
  call.connected();
  call.hangUp('insufficient_credits');
  await clock.run(100); // the record of the call's beginning is slow, and written first
  expect(transport.events.slice(-2)).toMatchObject([
    { type: 'error', code: 'INSUFFICIENT_CREDITS' },
    { type: 'end', reason: 'insufficient_credits' },
  ]);
  expect(ended()).toBe('insufficient_credits');
});
