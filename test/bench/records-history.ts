import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Knex } from 'knex';
import { DashboardRepository } from '../../src/calls/dashboard/dashboard.repository.js';
import {
  CallHistoryRepository,
  HISTORY_SORTS,
  type HistoryFilter,
  type HistoryQuery,
} from '../../src/calls/history/call-history.repository.js';
import { CallsRepository } from '../../src/calls/store/calls.repository.js';
import { connect } from '../../src/platform/db/connect.js';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { type Percentiles, percentilesOf } from '../support/harness/endpointing/percentiles.js';
import { CACHE, makeTestFolder } from '../support/harness/process/test-folder.js';
import { plainDays, plainPage } from './records-peer.js';
import type { RecordsFigures, RecordsOptions } from './records-section.js';
import { type FilledTable, fillTable, historyIndexes } from './records-table.js';

/** Pages to read, among the first 100. */
const PAGES = [1, 2, 3, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const LIMIT = 10;
const BAR_MS = 50;
/** Reads per page; the best time excludes other load. */
const ROUNDS = 3;
/** Sort columns of the plain query; few, because it is slow. */
const PLAIN_SORT_COLUMNS = ['called_at', 'agent_name', 'duration_seconds'] as const;
/** Minimum speed-up relative to the plain query. */
const PEER_BAR = 5;
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu'];
const ENDS = 400;
const ENDS_AT_ONCE = 16;

type Order = Pick<HistoryQuery, 'sortBy' | 'sortDir'>;

/**
 * Measures lists, totals, the dashboard and the end of calls in a temporary database with a million
 * calls.
 */
export async function measure({ reportProgress, calls }: RecordsOptions): Promise<RecordsFigures> {
  const dataDir = makeTestFolder();
  const server = await startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
  const db = connect(server.connection, { poolMax: ENDS_AT_ONCE + 2 });
  try {
    await migrate(db);
    return await inDatabase(db, calls, reportProgress);
  } finally {
    await db.destroy();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function inDatabase(
  db: Knex,
  calls: number,
  reportProgress: RecordsOptions['reportProgress'],
): Promise<RecordsFigures> {
  const indexes = await historyIndexes(db);
  for (const name of indexes.keys()) await db.raw('drop index ??', [name]);
  reportProgress(`writing ${calls} calls …`);
  const table = await fillTable(db, calls);
  await settle(db, []);
  reportProgress('without sums and indexes …');
  const plain = await plainFigures(db, table);
  reportProgress('making the indexes …');
  await settle(db, [...indexes.values()]);
  reportProgress('with sums and indexes …');
  const pages = await pageFigures(db, table);
  const dashboard = await dashboardFigures(db, table);
  const ends = await endFigures(db, table);
  const all = percentilesOf(pages.flatMap(({ ms }) => ms));
  const best = percentilesOf(pages.flatMap((page) => page.best));
  const slowest = pages
    .map((page) => ({ name: page.name, ...percentilesOf(page.best) }))
    .sort((a, b) => b.p99 - a.p99);
  const emptyQuery = await measureEmptyQuery(db);
  const ratio = plain.pages.p50 / all.p50;
  const isMet = best.p99 <= BAR_MS && dashboard.p50 <= BAR_MS && ratio >= PEER_BAR;
  return {
    isMet,
    figures: {
      calls,
      pages: { best, all },
      floor: emptyQuery,
      slowest: slowest.slice(0, 5),
      dashboard,
      ends,
      peer: { pages: plain.pages, dashboard: plain.dashboard, pagesRatio: ratio },
    },
    lines: [
      `${calls} calls; ${best.count} pages of ${pages.length} filters and sorts, among the first 100:`,
      `  page with total  p50 ${ms(best.p50)}, p99 ${ms(best.p99)}, worst ${ms(best.max)}, the best of ${ROUNDS} each (bar: p99 ≤ ${BAR_MS} ms)`,
      `  all times        p50 ${ms(all.p50)}, p99 ${ms(all.p99)}; an empty query meanwhile p50 ${ms(emptyQuery.p50)}, p99 ${ms(emptyQuery.p99)}`,
      `  slowest: ${slowest
        .slice(0, 3)
        .map(({ name, p99 }) => `${name} ${ms(p99)}`)
        .join('; ')}`,
      `  dashboard        p50 ${ms(dashboard.p50)}, p99 ${ms(dashboard.p99)}`,
      `  end of a call, ${ENDS_AT_ONCE} at once of one agent  p50 ${ms(ends.p50)}, p99 ${ms(ends.p99)}, ${Math.round(ends.perSecond)} a second`,
      `  the plain query  page p50 ${ms(plain.pages.p50)}, p99 ${ms(plain.pages.p99)} (${ratio.toFixed(0)} times ours); dashboard p50 ${ms(plain.dashboard.p50)}`,
    ],
  };
}

/** Creates the indexes and updates the planner statistics. */
async function settle(db: Knex, indexes: readonly string[]): Promise<void> {
  const client = await db.client.acquireConnection();
  try {
    await client.query('set statement_timeout = 0');
    for (const definition of indexes) await client.query(definition);
    await client.query('vacuum analyze');
    await client.query('set statement_timeout = 30000');
  } finally {
    await db.client.releaseConnection(client);
  }
}

function filtersOf({ agentIds }: FilledTable): Readonly<Record<string, HistoryFilter>> {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  return {
    all: {},
    'last 30 days': { startDate: ago(30) },
    'one day': { startDate: ago(8), endDate: ago(7) },
    'until a month ago': { endDate: ago(30) },
    'the busiest agent': { agentIds: agentIds.slice(0, 1) },
    'a quiet agent': { agentIds: agentIds.slice(-1) },
    'three agents': { agentIds: [agentIds[2]!, agentIds[9]!, agentIds[15]!] },
    'by name': { agentName: 'agent c' },
    'by name and days': { agentName: 'agent', startDate: ago(20), endDate: ago(10) },
  };
}

/** Sort orders without an index, see call-history.repository.ts. */
const UNINDEXED_SORTS: readonly string[] = ['summary', 'recording'];

const INDEXED_SORTS = HISTORY_SORTS.filter((sortBy) => !UNINDEXED_SORTS.includes(sortBy));

const ORDERS: readonly Order[] = INDEXED_SORTS.flatMap((sortBy) => [
  { sortBy, sortDir: 'asc' } as const,
  { sortBy, sortDir: 'desc' } as const,
]);

interface PageFigures {
  readonly name: string;
  readonly ms: readonly number[];
  readonly best: readonly number[];
}

async function pageFigures(db: Knex, table: FilledTable) {
  const history = new CallHistoryRepository(db);
  const figures: PageFigures[] = [];
  for (const [name, filter] of Object.entries(filtersOf(table))) {
    for (const order of ORDERS) {
      const times: number[] = [];
      const best: number[] = [];
      for (const page of PAGES) {
        const rounds: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          rounds.push(
            await timed(async () => {
              const found = await history.find(table.accountId, filter);
              await found.count();
              await found.list(order, { offset: (page - 1) * LIMIT, limit: LIMIT });
            }),
          );
        }
        times.push(...rounds);
        best.push(Math.min(...rounds));
      }
      figures.push({ name: `${name}, by ${order.sortBy} ${order.sortDir}`, ms: times, best });
    }
  }
  return figures;
}

async function dashboardFigures(db: Knex, { accountId }: FilledTable): Promise<Percentiles> {
  const dashboard = new DashboardRepository(db);
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    for (const zone of ZONES) times.push(await timed(() => dashboard.days(accountId, zone)));
  }
  return percentilesOf(times);
}

/** Duration of an empty query on this machine: the minimum of any query. */
async function measureEmptyQuery(db: Knex): Promise<Percentiles> {
  const times: number[] = [];
  for (let round = 0; round < 500; round++) times.push(await timed(() => db.raw('select 1')));
  return percentilesOf(times);
}

/** Ends many calls of one agent at the same time, which contend for the same rows of the sums. */
async function endFigures(db: Knex, { accountId, agentIds }: FilledTable) {
  const calls = new CallsRepository(db, 0);
  const callIds = Array.from({ length: ENDS }, () => randomUUID());
  for (const callId of callIds) {
    const agent = { agentId: agentIds[0]!, agentName: 'Agent A' };
    await calls.reserve({ callId, accountId, ...agent, callType: 'web', options: {} });
    await calls.claim(callId, randomUUID());
    await calls.markStarted(callId);
  }
  const times: number[] = [];
  const waiting = [...callIds];
  const allMs = await timed(() =>
    Promise.all(
      Array.from({ length: ENDS_AT_ONCE }, async () => {
        for (let callId = waiting.pop(); callId; callId = waiting.pop()) {
          const ended = callId;
          times.push(await timed(() => calls.end(ended, 'user_hangup')));
        }
      }),
    ),
  );
  return { ...percentilesOf(times), perSecond: (ENDS * 1_000) / allMs };
}

/** One middle page per filter for some sort orders, and each dashboard three times. */
async function plainFigures(db: Knex, table: FilledTable) {
  const pages: number[] = [];
  for (const filter of Object.values(filtersOf(table))) {
    for (const column of PLAIN_SORT_COLUMNS) {
      const page = { offset: 49 * LIMIT, limit: LIMIT };
      pages.push(await timed(() => plainPage(db, table.accountId, filter, column, page)));
    }
  }
  const days: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (const zone of ZONES) days.push(await timed(() => plainDays(db, table.accountId, zone)));
  }
  return { pages: percentilesOf(pages), dashboard: percentilesOf(days) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
