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

/** Creates a call that has been running for `seconds`. */
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
  await calls.markStarted(callId);
  const startedAt = database.db.raw(`now() - interval '1 second' * ?`, [seconds]);
  await database.db('calls').where({ call_id: callId }).update({ started_at: startedAt });
  return callId;
}

/** Checks the credits once and returns the calls to end, with the reasons. */
async function checkCredits(...callIds: string[]) {
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

it('a call ends when it has used up the balance of its account', async () => {
  const accountId = await account(10, 0.5);
  const callId = await runningCall(accountId, 2);
  expect(await checkCredits(callId)).toEqual([]);
  await database
    .db('calls')
    .where({ call_id: callId })
    .update({ started_at: database.db.raw(`now() - interval '21 s'`) });
  expect(await checkCredits(callId)).toEqual([`${callId} insufficient_credits`]);
});

it('all calls of an account count, on any gateway, and each gateway ends its own calls', async () => {
  const accountId = await account(10, 0.5);
  const here = await runningCall(accountId, 11);
  const onOtherGateway = await runningCall(accountId, 11, randomUUID());
  expect(await checkCredits(here, onOtherGateway)).toEqual([`${here} insufficient_credits`]);
});

it('accounts with an unlimited balance and free calls are not affected', async () => {
  const unlimited = await runningCall(await account(null, 5), 1_000);
  const free = await runningCall(await account(0.000_001, 0), 1_000);
  expect(await checkCredits(unlimited, free)).toEqual([]);
});

it('the cost of a call is deducted once, at its end', async () => {
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

it('the client receives the reason before the call ends', async () => {
  const { call, clock, transport, ended } = harness();
  call.connected();
  call.hangUp('insufficient_credits');
  await clock.run(100); // the slow record of the call's start is written first
  expect(transport.events.slice(-2)).toMatchObject([
    { type: 'error', code: 'INSUFFICIENT_CREDITS' },
    { type: 'end', reason: 'insufficient_credits' },
  ]);
  expect(ended()).toBe('insufficient_credits');
});
