import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { connect } from '../../../src/platform/db/connect.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const SLOTS = 40;
const database = withDatabase();

function call(accountId: string) {
  return {
    callId: randomUUID(),
    accountId,
    agentId: randomUUID(),
    agentName: 'Pool',
    callType: 'web' as const,
    options: {},
  };
}

it('slots are never exceeded in a burst of 100 on two gateways, and are freed when a call ends', async () => {
  const pools = [database.db, connect(database.connection)];
  const gateways = pools.map((db) => new CallsRepository(db, SLOTS));
  const accountId = await new AccountsRepository(database.db).insert('An account of a test');
  const calls = Array.from({ length: 100 }, () => call(accountId));
  const refusals = await Promise.all(calls.map((each, i) => gateways[i % 2]!.reserve(each)));
  expect(refusals.filter((refusal) => refusal === undefined)).toHaveLength(SLOTS);
  expect(new Set(refusals)).toEqual(new Set([undefined, 'concurrency_limit']));
  const [letIn] = calls.filter((_, i) => refusals[i] === undefined);
  await gateways[1]!.end(letIn!.callId, 'user_hangup');
  const again = await Promise.all([1, 0].map((i) => gateways[i]!.reserve(call(accountId))));
  expect(again.filter((refusal) => refusal === undefined)).toHaveLength(1);
  await pools[1]!.destroy();
});

it('slots are counted per account', async () => {
  const calls = new CallsRepository(database.db, 1);
  for (let i = 0; i < 2; i++) {
    const accountId = await new AccountsRepository(database.db).insert('An account of a test');
    expect(await calls.reserve(call(accountId))).toBeUndefined();
    expect(await calls.reserve(call(accountId))).toBe('concurrency_limit');
  }
});

it('free slots can be read while a call takes one', async () => {
  const calls = new CallsRepository(database.db, 1);
  const accountId = await new AccountsRepository(database.db).insert('An account of a test');
  await database.db.transaction(async (transaction) => {
    await transaction('accounts').where({ id: accountId }).forUpdate().first();
    expect(await calls.accountRefusalOf(accountId)).toBeUndefined();
  });
  await calls.reserve(call(accountId));
  expect(await calls.accountRefusalOf(accountId)).toBe('concurrency_limit');
});
