import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { GatewayFailover } from '../../../src/calls/session/gateway-failover.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { GatewaysRepository } from '../../../src/platform/cluster/gateways.repository.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase();

afterEach(() => {
  vi.useRealTimers();
});

it('the calls of a silent gateway are ended, unless the database was unavailable', async () => {
  const calls = new CallsRepository(database.db, 0);
  const gateways = new GatewaysRepository(database.db);
  const [callId, own, silent] = [randomUUID(), randomUUID(), randomUUID()];
  const accountId = await new AccountsRepository(database.db).insert('An account of a test');
  const agent = { agentId: randomUUID(), agentName: 'Pool' };
  await calls.reserve({ callId, accountId, ...agent, callType: 'web', options: {} });
  await gateways.heartbeat(silent);
  await calls.claim(callId, silent);
  const ago = (s: number) => database.db.raw(`now() - interval '${s} s'`);
  await database
    .db('gateways')
    .where({ id: silent })
    .update({ seen_at: ago(16) });
  const beatAt = await gateways.heartbeat(own);
  // The query is sent while the heartbeat is fresh and answered when it is not.
  const { rows } = await database.db.raw<{ rows: { at: Date }[] }>('select ? as at', [ago(11)]);
  await gateways.removeSilent(own, rows[0]!.at);
  expect(await calls.endOrphaned(own)).toBe(0);
  expect((await calls.find(callId))?.state).toBe('live');
  await gateways.removeSilent(own, beatAt);
  expect(await calls.endOrphaned(own)).toBe(1);
  expect((await calls.find(callId))?.ended_reason).toBe('error_transport');
});

it('phone calls without a carrier status are ended and reported like unanswered calls', async () => {
  const reportedEnds: string[] = [];
  const calls = new CallsRepository(database.db, 0, {
    record: async (_, events) => void reportedEnds.push(...events.map(({ event }) => event)),
  });
  const accountId = await new AccountsRepository(database.db).insert('An account of a test');
  const agent = { agentId: randomUUID(), agentName: 'Pool' };
  const reserved = async (callType: 'web' | 'sip_outbound', secondsAgo: number) => {
    const callId = randomUUID();
    await calls.reserve({ callId, accountId, ...agent, callType, options: {} });
    await database
      .db('calls')
      .where({ call_id: callId })
      .update({ reserved_until: database.db.raw(`now() - interval '${secondsAgo} s'`) });
    return callId;
  };
  const forgotten = await reserved('sip_outbound', 3_700);
  const waiting = [await reserved('sip_outbound', 100), await reserved('web', 3_700)];
  expect(await calls.endAbandoned()).toBe(1);
  expect((await calls.find(forgotten))?.ended_reason).toBe('error_transport');
  expect(reportedEnds).toEqual(['call.failed']);
  for (const callId of waiting) expect((await calls.find(callId))?.state).toBe('reserved');
});

it('after a late heartbeat of its own, a gateway gives the others time before it declares them dead', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const looked: number[] = [];
  const start = performance.now();
  const waiting: (() => void)[] = [];
  let isStill = false;
  const failover = new GatewayFailover({
    gateways: {
      heartbeat: async () => {
        if (isStill) await new Promise<void>((resolve) => waiting.push(resolve));
        return new Date();
      },
      removeSilent: async () => void looked.push(performance.now() - start),
      remove: async () => undefined,
      removeAll: async () => undefined,
    },
    calls: {
      endOrphaned: async () => 0,
      endAbandoned: async () => 0,
      endAllOf: async () => undefined,
    },
    gatewayId: randomUUID(),
    log: pino({ level: 'silent' }),
  });
  await failover.start({ isAlone: false });
  await vi.advanceTimersByTimeAsync(5_500);
  expect(looked).toEqual([0, 5_000]);
  isStill = true;
  await vi.advanceTimersByTimeAsync(12_000);
  isStill = false;
  for (const resume of waiting) resume();
  await vi.advanceTimersByTimeAsync(0);
  looked.length = 0;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(Math.min(...looked)).toBeGreaterThan(17_500 + 14_000);
  await failover.stop();
});
