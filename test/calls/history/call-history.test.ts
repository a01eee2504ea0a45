import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DashboardRepository } from '../../../src/calls/dashboard/dashboard.repository.js';
import { dashboardRoutes } from '../../../src/calls/dashboard/dashboard.routes.js';
import {
  CallHistoryRepository,
  HISTORY_SORTS,
} from '../../../src/calls/history/call-history.repository.js';
import { callHistoryRoutes } from '../../../src/calls/history/call-history.routes.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { insertCall } from '../../support/harness/postgres/call-rows.js';

const plane = withControlPlane({
  routes: (db) => [
    ...callHistoryRoutes(new CallHistoryRepository(db)),
    ...dashboardRoutes(new DashboardRepository(db)),
  ],
});

async function account() {
  const accountId = await plane.makeAccount();
  return { accountId, ask: plane.askAs(await plane.makeKey(accountId)) };
}

const at = (text: string) => new Date(text);

describe('call history', () => {
  it('contains the documented fields of each call', async () => {
    const { accountId, ask } = await account();
    const agentId = randomUUID();
    const callId = await insertCall(plane.database.db, {
      accountId,
      agentId,
      startedAt: at('2026-02-10T12:00:00Z'),
      seconds: 90,
      credits: 1.5,
      turns: [
        { role: 'agent', text: 'Hello!' },
        { role: 'user', text: 'Hi.' },
      ],
    });
    const { body } = await ask('GET', '/agent/call-history');
    expect(body.pagination).toMatchObject({ limit: 10, total_items: 1, has_next: false });
    expect(body.items[0]).toMatchObject({
      id: expect.any(Number),
      call_id: callId,
      agent_id: agentId,
      agent_name: 'Pool',
      call_timestamp: '2026-02-10T12:00:00.000Z',
      call_duration_seconds: 90,
      credits_used: 1.5,
      has_transcript: true,
      call_type: 'web',
      from_number: null,
      to_number: null,
      transcription_summary: null,
      transcription_stats: { user_turns: 1, agent_turns: 1 },
    });
  });

  it('filters by the displayed time, by agents and by a part of the agent name', async () => {
    const { accountId, ask } = await account();
    const { db } = plane.database;
    const [pool, shop] = [randomUUID(), randomUUID()];
    const one = await insertCall(db, {
      accountId,
      agentId: pool,
      startedAt: at('2026-02-10T12:00:00Z'),
    });
    const two = await insertCall(db, {
      accountId,
      agentId: shop,
      agentName: 'Book Shop',
      startedAt: at('2026-02-11T12:00:00Z'),
    });
    await insertCall(db, { accountId, startedAt: null }); // without a start it is not part of the history
    const found = async (query: string) => {
      const { body } = await ask('GET', `/agent/call-history?${query}`);
      return body.items.map((item: { call_id: string }) => item.call_id);
    };
    expect(await found('')).toEqual([two, one]);
    expect(await found('start_date=2026-02-10T12:00:00Z')).toEqual([two, one]);
    expect(await found('start_date=2026-02-10T12:00:01Z')).toEqual([two]);
    expect(await found('end_date=2026-02-11T11:59:59Z')).toEqual([one]);
    expect(await found('end_date=2026-02-10T11:59:58Z')).toEqual([]);
    // A date filter includes the whole day.
    expect(await found('start_date=2026-02-10&end_date=2026-02-10')).toEqual([one]);
    expect(await found('end_date=2026-02-09')).toEqual([]);
    expect(await found('start_date=2026-02-12')).toEqual([]);
    expect(await found(`agent_ids=${pool}`)).toEqual([one]);
    expect(await found(`agent_ids=${pool}&agent_ids=${shop}`)).toEqual([two, one]);
    expect(await found('agent_name=book')).toEqual([two]);
    expect(await found('agent_name=%25')).toEqual([]);
  });

  it('sorts by every field in both directions, and equal values by time', async () => {
    const { accountId, ask } = await account();
    const { db } = plane.database;
    const old = await insertCall(db, {
      accountId,
      agentName: 'B',
      startedAt: at('2026-02-10T12:00:00Z'),
      seconds: 20,
      credits: 1,
      turns: [{ role: 'user', text: 'Hi.' }],
    });
    const middle = await insertCall(db, {
      accountId,
      agentName: 'A',
      startedAt: at('2026-02-11T12:00:00Z'),
      seconds: 10,
      credits: 2,
    });
    const latest = await insertCall(db, {
      accountId,
      agentName: 'B',
      startedAt: at('2026-02-12T12:00:00Z'),
      seconds: 30,
      credits: 2,
    });
    const names = { [old]: 'old', [middle]: 'middle', [latest]: 'latest' };
    const sorted = async (by: string, dir: string) => {
      const { body } = await ask('GET', `/agent/call-history?sort_by=${by}&sort_dir=${dir}`);
      return body.items.map((item: { call_id: string }) => names[item.call_id]).join(' ');
    };
    expect(await sorted('timestamp', 'asc')).toBe('old middle latest');
    expect(await sorted('agent', 'asc')).toBe('middle old latest');
    expect(await sorted('duration', 'desc')).toBe('latest old middle');
    expect(await sorted('credits', 'desc')).toBe('latest middle old');
    expect(await sorted('transcript', 'desc')).toBe('old latest middle');
    await db('recordings').insert({ call_id: middle, state: 'recording' });
    expect(await sorted('recording', 'desc')).toBe('latest middle old');
    await db('recordings').where({ call_id: middle }).update({ state: 'ready' });
    expect(await sorted('recording', 'desc')).toBe('middle latest old');
    await db('recordings').where({ call_id: middle }).update({ state: 'deleted' });
    expect(await sorted('recording', 'desc')).toBe('latest middle old');
    for (const by of HISTORY_SORTS) {
      const falling = (await sorted(by, 'desc')).split(' ');
      expect(falling.toSorted()).toEqual(['latest', 'middle', 'old']);
      expect((await sorted(by, 'asc')).split(' '), by).toEqual(falling.toReversed());
    }
    const { status } = await ask('GET', '/agent/call-history?sort_by=price');
    expect(status).toBe(422);
  });

  it('is empty beyond the last page and for reversed dates, and returns the total', async () => {
    const { accountId, ask } = await account();
    for (const day of ['10', '11', '12']) {
      await insertCall(plane.database.db, { accountId, startedAt: at(`2026-02-${day}T12:00:00Z`) });
    }
    const { body: past } = await ask('GET', '/agent/call-history?page=7&limit=2');
    expect(past.items).toEqual([]);
    expect(past.pagination).toMatchObject({ total_items: 3, total_pages: 2, has_next: false });
    const { status, body } = await ask(
      'GET',
      '/agent/call-history?start_date=2026-03-01&end_date=2026-02-01',
    );
    expect([status, body.items, body.pagination.total_items]).toEqual([200, [], 0]);
  });

  it('contains no call of another account', async () => {
    const [one, other] = [await account(), await account()];
    await insertCall(plane.database.db, { accountId: one.accountId, startedAt: new Date() });
    expect((await other.ask('GET', '/agent/call-history')).body.items).toEqual([]);
  });
});

describe('dashboard', () => {
  const DAY_MS = 86_400_000;

  it('has the last 90 days, with zeros for days without calls', async () => {
    const { ask } = await account();
    const { body } = await ask('GET', '/agent/dashboard');
    const days = body.daily_stats as { date: string; total_calls: number; total_credits: number }[];
    expect(days).toHaveLength(90);
    const expected = Array.from({ length: 90 }, (_, i) =>
      new Date(Date.now() - (89 - i) * DAY_MS).toISOString().slice(0, 10),
    );
    expect(days.map(({ date }) => date)).toEqual(expected);
    expect(days.every((day) => day.total_calls === 0 && day.total_credits === 0)).toBe(true);
    expect(body).toMatchObject({
      number_of_calls: 0,
      average_duration: 0,
      total_credits_used: 0,
      avg_credits_per_call: 0,
    });
  });

  it('sums up the rows, except for older calls and calls that never started', async () => {
    const { accountId, ask } = await account();
    const { db } = plane.database;
    const now = Date.now();
    await insertCall(db, { accountId, startedAt: new Date(now - 60_000), seconds: 30, credits: 3 });
    const recent = new Date(now - 89 * DAY_MS);
    await insertCall(db, { accountId, startedAt: recent, seconds: 10, credits: 1 });
    await insertCall(db, { accountId, startedAt: new Date(now - 91 * DAY_MS), credits: 50 });
    await insertCall(db, { accountId, startedAt: null });
    const { body } = await ask('GET', '/agent/dashboard');
    expect(body).toMatchObject({
      number_of_calls: 2,
      average_duration: 20,
      total_credits_used: 4,
      avg_credits_per_call: 2,
    });
    expect(body.daily_stats[0]).toMatchObject({ total_calls: 1, total_credits: 1 });
  });

  it('starts days in the requested time zone', async () => {
    const { accountId, ask } = await account();
    // 23:30 UTC a week ago is the next day in Tokyo and the same day in Honolulu.
    const day = new Date(Date.now() - 7 * DAY_MS).toISOString().slice(0, 10);
    await insertCall(plane.database.db, { accountId, startedAt: at(`${day}T23:30:00Z`) });
    const dayIn = async (timezone: string) => {
      const { body } = await ask('GET', `/agent/dashboard?timezone=${timezone}`);
      expect(body.daily_stats).toHaveLength(90);
      return body.daily_stats.find((one: { total_calls: number }) => one.total_calls > 0).date;
    };
    const next = new Date(at(`${day}T00:00:00Z`).getTime() + DAY_MS).toISOString().slice(0, 10);
    expect(await dayIn('UTC')).toBe(day);
    expect(await dayIn('Asia/Tokyo')).toBe(next);
    expect(await dayIn('Pacific/Honolulu')).toBe(day);
  });

  it('supports time zones with half and quarter hours, by either parameter name', async () => {
    const { accountId, ask } = await account();
    const day = new Date(Date.now() - 7 * DAY_MS).toISOString().slice(0, 10);
    // Midnight in Kathmandu (+05:45) and in Kolkata (+05:30).
    for (const time of ['18:14:59.999', '18:15:00', '18:29:59.999', '18:30:00']) {
      await insertCall(plane.database.db, { accountId, startedAt: at(`${day}T${time}Z`) });
    }
    const callsOn = async (query: string) => {
      const { body } = await ask('GET', `/agent/dashboard?${query}`);
      const days: { date: string; total_calls: number }[] = body.daily_stats;
      return days.find(({ date }) => date === day)!.total_calls;
    };
    expect(await callsOn('tz=Asia/Kathmandu')).toBe(1);
    expect(await callsOn('timezone=Asia/Kolkata')).toBe(3);
    expect(await callsOn('tz=UTC')).toBe(4);
  });

  it('counts a running call', async () => {
    const { accountId, ask } = await account();
    const startedAt = new Date(Date.now() - 40_000);
    await insertCall(plane.database.db, { accountId, startedAt, seconds: null });
    const { body } = await ask('GET', '/agent/dashboard');
    expect(body.number_of_calls).toBe(1);
    expect(body.average_duration).toBeGreaterThanOrEqual(40);
  });

  it('rejects an unknown time zone', async () => {
    const { ask } = await account();
    for (const timezone of ['Mars/Olympus', '%2B01:00', "UTC'--", 'x'.repeat(200)]) {
      const { status, body } = await ask('GET', `/agent/dashboard?timezone=${timezone}`);
      expect([status, body.detail[0].loc]).toEqual([422, ['query', 'timezone']]);
    }
    const { body } = await ask('GET', '/agent/dashboard?tz=Mars/Olympus');
    expect(body.detail[0].msg).toContain('tz must be an IANA name such as Europe/Berlin');
  });
});
