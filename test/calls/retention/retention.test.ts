import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { createRetention } from '../../../src/composition/call-artifacts.module.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { connect } from '../../../src/platform/db/connect.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import {
  AGENT_RATE,
  openRecordingGateway,
  type RecordingGateway,
  recordTones,
} from '../../support/harness/app/recordings-app.js';
import { type CallSeed, insertCall } from '../../support/harness/postgres/call-rows.js';

const DAY_MS = 86_400_000;
const silent = pino({ level: 'silent' });

/** IDs of the deleted replay files. */
const deletedReplays: string[] = [];
const replays = { delete: async (callId: string) => void deletedReplays.push(callId) };
/** Calls whose recording cannot be deleted at the moment. */
const stuck = new Set<string>();
let gateway: Promise<RecordingGateway> | undefined;
let retention: ReturnType<typeof createRetention>;

const plane = withControlPlane({
  routes: (db) => {
    gateway = openRecordingGateway(db);
    retention = createRetention({
      db,
      agents: new AgentsRepository(db),
      log: silent,
      recordings,
      replays,
    });
    return retention.routes;
  },
});
const recordings = {
  async deleteRecording(callId: string) {
    if (stuck.has(callId)) throw new Error('the storage is away');
    return (await gateway!).recordings.deleteRecording(callId);
  },
};
beforeEach(() => {
  deletedReplays.length = 0;
  stuck.clear();
});
afterAll(async () => (await gateway)?.recordings.close());

interface Seed extends Partial<CallSeed> {
  readonly daysAgo?: number;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly hasRecording?: boolean;
}

/** A new account with its request function and calls. */
async function account() {
  const { db } = plane.database;
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const call = async ({ daysAgo = 0, from, to, hasRecording = false, ...seed }: Seed = {}) => {
    const startedAt = new Date(Date.now() - daysAgo * DAY_MS - 3_600_000);
    const turns = [
      { role: 'agent', text: 'Hello, what is your name?' },
      { role: 'user', text: 'Ann Example.' },
    ] as const;
    const callId = await insertCall(db, { accountId, startedAt, turns, ...seed });
    await db('calls')
      .where({ call_id: callId })
      .update({
        options: { dynamic_variables: { name: 'Ann' } },
        from_number: from ?? null,
        to_number: to ?? null,
        transcription_summary: 'Ann said her name.',
      });
    await db('webhook_deliveries').insert({
      delivery_id: `msg_${callId}`,
      account_id: accountId,
      agent_id: seed.agentId ?? callId,
      call_id: callId,
      event: 'turn.completed',
      url: 'https://receiver.example',
      lane: callId,
      body: 'Ann Example.',
    });
    if (hasRecording) await record(callId);
    return callId;
  };
  const left = async (callId: string) => {
    const row = await db('calls').where({ call_id: callId }).first();
    const turns = await db('call_turns').where({ call_id: callId });
    const deliveries = await db('webhook_deliveries').where({ call_id: callId });
    return {
      row: row !== undefined,
      words: turns.length > 0 && deliveries.length > 0 && row.transcription_summary !== null,
      traces: deliveries.length + turns.length + (row?.transcription_summary ? 1 : 0),
      options: row?.options,
      sound: await hasFiles(callId),
    };
  };
  const receipts = async () => (await ask('GET', '/account/retention/receipts')).body.items;
  return { accountId, ask, call, left, receipts };
}

async function record(callId: string): Promise<void> {
  const sink = (await gateway!).recordings.begin(callId, AGENT_RATE);
  recordTones(sink, 1);
  sink.end(1_000);
  await vi.waitFor(
    async () => {
      const row = await plane.database.db('recordings').where({ call_id: callId }).first();
      expect(row?.state).toBe('spooled');
    },
    { timeout: 30_000, interval: 20 },
  );
}

async function hasFiles(callId: string): Promise<boolean> {
  const { dataDir } = await gateway!;
  return ['spools', 'recordings'].some((folder) =>
    ['spool', 'mp3'].some((kind) =>
      existsSync(join(dataDir, 'storage', folder, `${callId}.${kind}`)),
    ),
  );
}

const FOREVER = { audio_days: null, transcript_days: null };

describe('retention policy', () => {
  it('is unlimited by default, and an agent may have a separate one', async () => {
    const { ask } = await account();
    expect((await ask('GET', '/account/retention')).body).toEqual(FOREVER);
    const days = { audio_days: 30, transcript_days: null };
    expect((await ask('PUT', '/account/retention', { audio_days: 30 })).body).toEqual(days);
    expect((await ask('GET', '/account/retention')).body).toEqual(days);
    const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
    const path = `/agent/${agent_id}/retention`;
    expect((await ask('GET', path)).body).toEqual({ agent_id, ...FOREVER, effective: days });
    const own = { audio_days: 0, transcript_days: 7 };
    expect((await ask('PUT', path, own)).body).toEqual({ agent_id, ...own, effective: own });
    expect((await ask('PUT', path, {})).body).toEqual({ agent_id, ...FOREVER, effective: days });
    // Responses of the agent API do not contain it.
    const agent = (await ask('GET', `/agent/${agent_id}`)).body;
    expect(JSON.stringify(agent)).not.toContain('retention');
  });

  it('rejects invalid values and foreign agents', async () => {
    const { ask } = await account();
    for (const audio_days of [-1, 36_501, 1.5, 'soon']) {
      expect((await ask('PUT', '/account/retention', { audio_days })).status).toBe(422);
    }
    const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
    const otherAccount = await account();
    const path = `/agent/${agent_id}/retention`;
    expect((await otherAccount.ask('GET', path)).status).toBe(404);
    expect((await otherAccount.ask('PUT', path, { audio_days: 1 })).status).toBe(404);
  });
});

describe('retention job', () => {
  it('deletes recordings and transcripts at their times and keeps the call', async () => {
    const { ask, call, left, receipts } = await account();
    await ask('PUT', '/account/retention', { audio_days: 2, transcript_days: 5 });
    const [old, middle, fresh] = [
      await call({ daysAgo: 6, hasRecording: true }),
      await call({ daysAgo: 3, hasRecording: true }),
      await call({ daysAgo: 1, hasRecording: true }),
    ];
    await retention.worker.run();
    expect(await left(old)).toEqual({
      row: true,
      words: false,
      traces: 0,
      options: {},
      sound: false,
    });
    expect(await left(middle)).toMatchObject({ row: true, words: true, sound: false });
    expect(await left(fresh)).toMatchObject({ row: true, words: true, sound: true });
    expect(deletedReplays).toEqual(expect.arrayContaining([old, middle]));
    expect(deletedReplays).not.toContain(fresh);
    const [receipt, ...others] = await receipts();
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      ...{ cause: 'retention', agent_id: null, audio_days: 2, transcript_days: 5 },
      ...{ calls: 3, turns: 2, recordings: 2, webhook_deliveries: 1 },
      finished_at: expect.any(String),
    });
    expect(receipt.recording_bytes).toBeGreaterThan(1_000);
    await retention.worker.run();
    expect(await receipts()).toHaveLength(1); // nothing else was due
  });

  it("prefers the agent's policy to the account's", async () => {
    const { ask, call, left } = await account();
    const { agent_id: agentId } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
    await ask('PUT', '/account/retention', { transcript_days: 2 });
    await ask('PUT', `/agent/${agentId}/retention`, { transcript_days: 10 });
    const [kept, gone, other] = [
      await call({ daysAgo: 5, agentId }),
      await call({ daysAgo: 11, agentId }),
      await call({ daysAgo: 5 }),
    ];
    await retention.worker.run();
    expect(await left(kept)).toMatchObject({ words: true });
    expect(await left(gone)).toMatchObject({ words: false, traces: 0 });
    expect(await left(other)).toMatchObject({ words: false, traces: 0 });
  });

  it('skips running and just ended calls, and accounts without a policy', async () => {
    const { ask, call, left } = await account();
    const other = await account();
    await ask('PUT', '/account/retention', { audio_days: 0, transcript_days: 0 });
    const running = await call({ seconds: null, daysAgo: 3 });
    const justEnded = await call({ startedAt: new Date(Date.now() - 61_000), seconds: 60 });
    const others = await other.call({ daysAgo: 1_000 });
    await retention.worker.run();
    for (const callId of [running, justEnded]) {
      expect(await left(callId)).toMatchObject({ words: true });
    }
    expect(await other.left(others)).toMatchObject({ words: true });
  });

  it('continues after an error and after a crash, and counts every call once', async () => {
    const { accountId, ask, call, left, receipts } = await account();
    await ask('PUT', '/account/retention', { audio_days: 2 });
    const [first, second] = [
      await call({ daysAgo: 9, hasRecording: true }),
      await call({ daysAgo: 8, hasRecording: true }),
    ];
    stuck.add(first);
    await retention.worker.run();
    expect(await left(first)).toMatchObject({ sound: true });
    expect(await left(second)).toMatchObject({ sound: false });
    // The state after a crash: files are deleted, rows are not, and the receipt is open.
    await plane.database.db('deletion_receipts').update({ finished_at: null });
    stuck.clear();
    await recordings.deleteRecording(first);
    await retention.worker.run();
    await retention.worker.run();
    const [receipt, ...others] = await receipts();
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({ calls: 2, recordings: 2, finished_at: expect.any(String) });
    expect(accountId).toEqual(expect.any(String));
  });

  it('counts nothing twice if several gateways run it at the same time', async () => {
    const { ask, call, receipts } = await account();
    await ask('PUT', '/account/retention', { transcript_days: 1 });
    for (let i = 0; i < 12; i++) await call({ daysAgo: 2 + i });
    const { db } = plane.database;
    const others = [1, 2].map(() =>
      createRetention({ db, agents: new AgentsRepository(db), log: silent, recordings, replays }),
    );
    await Promise.all([retention, ...others].map(({ worker }) => worker.run()));
    await retention.worker.run();
    const items = await receipts();
    const sum = (field: string) =>
      items.reduce((total: number, item: Record<string, number>) => total + item[field]!, 0);
    expect([sum('calls'), sum('turns'), sum('webhook_deliveries')]).toEqual([12, 24, 12]);
  });
});

it('keeps its lock longer than a transaction may idle, and ends without an error', async () => {
  const { ask, call, left } = await account();
  await ask('PUT', '/account/retention', { audio_days: 1 });
  const slow = await call({ daysAgo: 3, hasRecording: true });
  const db = connect(plane.database.connection);
  db.client.connectionSettings.idle_in_transaction_session_timeout = 300;
  const [reached, released] = [new AbortController(), new AbortController()];
  const slowly = {
    async deleteRecording(callId: string) {
      reached.abort();
      await once(released.signal, 'abort');
      return recordings.deleteRecording(callId);
    },
  };
  const running = createRetention({
    db,
    agents: new AgentsRepository(db),
    log: silent,
    recordings: slowly,
    replays,
  }).worker.run();
  await once(reached.signal, 'abort');
  await untilIdleTransactionEnds(db);
  await retention.worker.run();
  expect(await left(slow)).toMatchObject({ sound: true });
  released.abort();
  await running;
  expect(await left(slow)).toMatchObject({ sound: false });
  await db.destroy();
});

/** Resolves when the server has terminated an idle transaction that starts now. */
async function untilIdleTransactionEnds(db: Knex): Promise<void> {
  const transaction = await db.transaction();
  const { rows } = await transaction.raw('select pg_backend_pid() as pid');
  await vi.waitFor(
    async () => {
      const found = await plane.database.db('pg_stat_activity').where({ pid: rows[0].pid });
      expect(found).toEqual([]);
    },
    { timeout: 10_000, interval: 20 },
  );
  await transaction.rollback().catch(() => undefined);
}

describe('web call without a client', () => {
  const HOURS_47 = 47 / 24;
  const HOURS_49 = 49 / 24;

  /** Inserts rows as connection-details creates them, `daysAgo` days ago. */
  async function insertReserved(
    daysAgo: number,
    change: Record<string, unknown> = {},
  ): Promise<string> {
    const { db } = plane.database;
    const callId = randomUUID();
    const calls = new CallsRepository(db, 0);
    const accountId = await plane.makeAccount();
    const options = { dynamic_variables: { name: 'Ann' } };
    const of = { accountId, agentId: randomUUID(), agentName: 'Pool', options };
    expect(await calls.reserve({ callId, callType: 'web', ...of })).toBeUndefined();
    const ago = db.raw("now() - ? * interval '1 day'", [daysAgo]);
    await db('calls')
      .where({ call_id: callId })
      .update({ created_at: ago, reserved_until: ago, ...change });
    return callId;
  }
  const leftOf = async (callIds: readonly string[]) => {
    const { db } = plane.database;
    const rows = await db('calls').whereIn('call_id', callIds).pluck('call_id');
    return callIds.filter((callId) => rows.includes(callId));
  };
  const ended = { state: 'ended', ended_at: new Date(), ended_reason: 'user_hangup' };

  it('is deleted long after its tokens have expired, also if its client ended it', async () => {
    const fresh = [
      await insertReserved(0),
      await insertReserved(HOURS_47),
      await insertReserved(HOURS_47, ended),
    ];
    const old = [
      await insertReserved(HOURS_49),
      await insertReserved(1_000),
      await insertReserved(HOURS_49, ended),
    ];
    await retention.worker.run();
    expect(await leftOf([...fresh, ...old])).toEqual(fresh);
  });

  it('is kept if it started or has data, like every phone call', async () => {
    const { db } = plane.database;
    const { call } = await account();
    const [startedCall, running] = [
      await call({ daysAgo: 9, turns: [] }),
      await call({ daysAgo: 9, seconds: null }),
    ];
    const reportedCall = await insertReserved(9, { ...ended, ended_reason: 'error_transport' });
    await db('webhook_deliveries').insert({
      ...{
        delivery_id: `msg_${reportedCall}`,
        call_id: reportedCall,
        event: 'call.failed',
        lane: reportedCall,
      },
      account_id: (await db('calls').where({ call_id: reportedCall }).first()).account_id,
      ...{ agent_id: reportedCall, url: 'https://receiver.example', body: '{}' },
    });
    const said = await insertReserved(9, ended);
    await db('call_turns').insert({
      ...{ call_id: said, index: 0, role: 'agent', text: 'Hello', cut: false },
      ...{ start_ms: 0, end_ms: 900 },
    });
    const sounded = await insertReserved(9, ended);
    await db('recordings').insert({ call_id: sounded, state: 'lost' });
    const taken = await insertReserved(9, { state: 'live', gateway_id: randomUUID() });
    const dialled = await insertReserved(9, { ...ended, call_type: 'sip_outbound' });
    const phoneCall = await insertReserved(9, { call_type: 'sip_inbound' });
    const all = [startedCall, running, reportedCall, said, sounded, taken, dialled, phoneCall];
    await retention.worker.run();
    expect(await leftOf(all)).toEqual(all);
  });

  it('is skipped while a gateway claims it', async () => {
    const { db } = plane.database;
    const [taken, gone] = [await insertReserved(9), await insertReserved(8)];
    await db.transaction(async (taking) => {
      await taking('calls').where({ call_id: taken }).forUpdate().first();
      await retention.worker.run();
      await taking('calls').where({ call_id: taken }).update({ state: 'live' });
    });
    expect(await leftOf([taken, gone])).toEqual([taken]);
  });

  it('is deleted in batches, whichever gateways run the job', async () => {
    const { db } = plane.database;
    const first = await insertReserved(9);
    await db.raw(
      `insert into calls (call_id, account_id, agent_id, agent_name, call_type, reserved_until, created_at)
       select gen_random_uuid(), account_id, agent_id, agent_name, call_type, reserved_until, created_at
       from calls, generate_series(1, 249) where call_id = ?`,
      [first],
    );
    const { account_id } = await db('calls').where({ call_id: first }).first();
    const others = [1, 2].map(() =>
      createRetention({ db, agents: new AgentsRepository(db), log: silent, recordings, replays }),
    );
    await Promise.all([retention, ...others].map(({ worker }) => worker.run()));
    expect(await db('calls').where({ account_id })).toEqual([]);
  });
});

describe('call', () => {
  it('is deleted with all its data', async () => {
    const { ask, call, left, receipts } = await account();
    const [callId, other] = [await call({ hasRecording: true }), await call()];
    const { status, body } = await ask('DELETE', `/agent/call-history/${callId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ cause: 'call', calls: 1, turns: 2, recordings: 1, webhook_deliveries: 1 },
      finished_at: expect.any(String),
    });
    expect(await left(callId)).toMatchObject({ row: false, traces: 0, sound: false });
    expect(deletedReplays).toEqual([callId]);
    expect(await left(other)).toMatchObject({ row: true, words: true });
    expect((await ask('DELETE', `/agent/call-history/${callId}`)).status).toBe(404);
    expect((await receipts()).map(({ receipt_id }: { receipt_id: number }) => receipt_id)).toEqual([
      body.receipt_id,
    ]);
    expect(JSON.stringify(await receipts())).not.toContain(callId);
  });

  it('is not deleted while it runs, nor by another account', async () => {
    const [owner, otherAccount] = [await account(), await account()];
    const running = await owner.call({ seconds: null });
    const refused = await owner.ask('DELETE', `/agent/call-history/${running}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'CALL_RUNNING']);
    const over = await owner.call();
    expect((await otherAccount.ask('DELETE', `/agent/call-history/${over}`)).status).toBe(404);
    expect((await owner.ask('DELETE', '/agent/call-history/nonsense')).status).toBe(404);
    expect(await owner.left(over)).toMatchObject({ words: true });
    expect(await otherAccount.receipts()).toEqual([]);
  });
});

describe('calls of a phone number', () => {
  const remove = (ask: Awaited<ReturnType<typeof account>>['ask'], number: string) =>
    ask('DELETE', `/agent/call-history?number=${encodeURIComponent(number)}`);

  it('are deleted in both directions, for any notation of the number', async () => {
    const spellings = [' 49 30 1234567', '+49 (30) 123-45-67', '0049301234567', '49301234567'];
    for (const number of ['+49301234567', ...spellings]) {
      const [{ ask, call, left }, other] = [await account(), await account()];
      const calls = [await call({ from: '+49301234567' }), await call({ to: '+49 30 1234567' })];
      const [longer, none] = [await call({ from: '+493012345670' }), await call()];
      const others = await other.call({ from: '+49301234567' });
      const { status, body } = await remove(ask, number);
      expect([status, body.cause, body.calls, body.turns]).toEqual([200, 'number', 2, 4]);
      for (const callId of calls) expect(await left(callId)).toMatchObject({ row: false });
      for (const callId of [longer, none]) expect(await left(callId)).toMatchObject({ row: true });
      expect(await other.left(others)).toMatchObject({ row: true });
      expect((await remove(ask, number)).body.calls).toBe(0);
    }
  });

  it('are all kept while one of them is running', async () => {
    const { ask, call, left, receipts } = await account();
    const over = await call({ from: '+49301234567' });
    await call({ from: '+49301234567', seconds: null });
    const { status, body } = await remove(ask, '+49301234567');
    expect([status, body.code]).toEqual([409, 'CALL_RUNNING']);
    expect(await left(over)).toMatchObject({ words: true });
    expect(await receipts()).toEqual([]);
  });

  it('are not deleted for an invalid number', async () => {
    const { ask } = await account();
    for (const number of ['', '+', 'Ann', '+0301234567', '12', `+${'1'.repeat(16)}`, '%']) {
      expect((await remove(ask, number)).status).toBe(422);
    }
    expect((await ask('DELETE', '/agent/call-history')).status).toBe(422);
  });
});
