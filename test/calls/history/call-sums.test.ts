import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DashboardRepository } from '../../../src/calls/dashboard/dashboard.repository.js';
import {
  CallHistoryRepository,
  type HistoryFilter,
} from '../../../src/calls/history/call-history.repository.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { connect } from '../../../src/platform/db/connect.js';
import { insertCall } from '../../support/harness/postgres/call-rows.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase({ emptied: 'before-each' });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const newAccount = () => new AccountsRepository(database.db).insert('Sums');

async function countOf(accountId: string, filter: HistoryFilter = {}): Promise<number> {
  const found = await new CallHistoryRepository(database.db).find(accountId, filter);
  return found.count();
}

/** The expected sums, computed from the call rows. */
async function truth(accountId: string) {
  const { rows } = await database.db.raw(
    `select count(*)::int as calls, coalesce(sum(credits_used), 0)::float8 as credits,
       coalesce(sum(duration_seconds::numeric), 0)::float8 as seconds
     from calls where account_id = ? and state = 'ended' and started_at is not null`,
    [accountId],
  );
  return rows[0];
}

async function sums(accountId: string) {
  const days = await new DashboardRepository(database.db).days(accountId, 'UTC');
  /** Sums with milliseconds, which are rounded per day here. */
  const sum = (of: 'calls' | 'credits' | 'seconds') =>
    Math.round(days!.reduce((all, day) => all + day[of], 0) * 1_000) / 1_000;
  return { calls: sum('calls'), credits: sum('credits'), seconds: sum('seconds') };
}

async function beganCall(calls: CallsRepository, accountId: string, agentId = randomUUID()) {
  const callId = randomUUID();
  await calls.reserve({
    callId,
    accountId,
    agentId,
    agentName: 'Pool',
    callType: 'web',
    options: {},
  });
  await calls.claim(callId, randomUUID());
  await calls.markStarted(callId);
  return callId;
}

describe('call sums', () => {
  it('are correct after many concurrent, repeated ends of calls of one agent', async () => {
    const accountId = await newAccount();
    const agentId = randomUUID();
    const gateways = [1, 2].map(() => connect(database.connection));
    try {
      const repositories = gateways.map((db) => new CallsRepository(db, 0));
      const callIds = await Promise.all(
        Array.from({ length: 10 }, (_, i) => beganCall(repositories[i % 2]!, accountId, agentId)),
      );
      expect(await countOf(accountId)).toBe(10); // includes running calls
      expect((await sums(accountId)).calls).toBe(10);
      await Promise.all(
        callIds.flatMap((callId) =>
          repositories.flatMap((calls) => [
            calls.end(callId, 'user_hangup'),
            calls.end(callId, 'agent_hangup'),
          ]),
        ),
      );
      expect(await countOf(accountId)).toBe(10);
      expect(await sums(accountId)).toEqual(await truth(accountId));
      expect((await sums(accountId)).calls).toBe(10);
    } finally {
      for (const db of gateways) await db.destroy();
    }
  });

  it('include a call of 0 s, and exclude calls that never started or whose end was rolled back', async () => {
    const accountId = await newAccount();
    const startedAt = new Date();
    await insertCall(database.db, { accountId, startedAt, seconds: 0 });
    await insertCall(database.db, { accountId, startedAt: null });
    await expect(
      database.db.transaction(async (transaction) => {
        await insertCall(transaction, { accountId, startedAt, credits: 5 });
        throw new Error('killed before its commit');
      }),
    ).rejects.toThrow('killed');
    expect(await countOf(accountId)).toBe(1);
    expect(await sums(accountId)).toEqual({ calls: 1, credits: 0, seconds: 0 });
  });

  it('are updated for changed and deleted calls, and deleted with their account', async () => {
    const { db } = database;
    const accountId = await newAccount();
    const startedAt = new Date(Date.now() - DAY_MS);
    const [one, other] = await Promise.all(
      [30, 60].map((seconds) =>
        insertCall(db, { accountId, startedAt, seconds, credits: seconds / 10 }),
      ),
    );
    await db('calls').where({ call_id: one }).update({ credits_used: 7.25 });
    expect(await sums(accountId)).toEqual({ calls: 2, credits: 13.25, seconds: 90 });
    await db('calls').where({ call_id: one }).delete();
    expect(await countOf(accountId)).toBe(1);
    expect(await sums(accountId)).toEqual({ calls: 1, credits: 6, seconds: 60 });
    expect(other).toBeDefined();
    await new AccountsRepository(db).delete(accountId);
    expect(await db('call_day_sums').first()).toBeUndefined();
    expect(await db('call_quarter_sums').first()).toBeUndefined();
  });
});

describe('total of a filter', () => {
  it('is exact to the millisecond for any range of days', async () => {
    const accountId = await newAccount();
    const agents = [randomUUID(), randomUUID()];
    const startMs = Date.parse('2026-03-01T00:00:00Z');
    const times = Array.from({ length: 60 }, (_, i) => startMs + i * 2 * HOUR_MS);
    for (const [i, ms] of times.entries()) {
      await insertCall(database.db, {
        accountId,
        agentId: agents[i % 2]!,
        agentName: ['Pool', 'Book Shop'][i % 2]!,
        startedAt: new Date(ms),
        seconds: i % 20 === 3 ? null : 60,
      });
    }
    const edges = [0, 1, 2 * HOUR_MS - 1, DAY_MS - 1, DAY_MS, DAY_MS + 1, 2.5 * DAY_MS, 5 * DAY_MS];
    for (const from of [undefined, ...edges]) {
      for (const to of [undefined, ...edges]) {
        const startDate = from === undefined ? undefined : new Date(startMs + from);
        const endDate = to === undefined ? undefined : new Date(startMs + to);
        const wanted = times.filter(
          (ms) => ms - startMs >= (from ?? 0) && ms - startMs <= (to ?? Number.POSITIVE_INFINITY),
        );
        const dates = { startDate, endDate };
        expect(await countOf(accountId, dates), JSON.stringify(dates)).toBe(wanted.length);
        const odd = wanted.filter((ms) => ((ms - startMs) / (2 * HOUR_MS)) % 2 === 1).length;
        expect(await countOf(accountId, { ...dates, agentIds: [agents[1]!] })).toBe(odd);
        expect(await countOf(accountId, { ...dates, agentName: 'SHOP' })).toBe(odd);
      }
    }
    expect(await countOf(accountId, { agentIds: ['nobody'] })).toBe(0);
    expect(await countOf(accountId, { agentName: 'nobody' })).toBe(0);
  });
});
