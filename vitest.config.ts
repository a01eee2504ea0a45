import { defineConfig } from 'vitest/config';

/** Suites that run in real time go last and one by one: side by side they would flake. */
const REAL_TIME = ['dist/test/e2e/**/*.test.js'];

/** Shows that the suites below ran against another PostgreSQL, or why they did not. */
const OTHER_POSTGRES = 'dist/test/db/other-postgres.test.js';
/** What of the database's suites runs against a PostgreSQL of another major version too. */
const DATABASE_SUITES = [
  'agents/concurrent-changes',
  'agents/agents',
  'calls/call-commands',
  'calls/call-history',
  'calls/credits',
  'calls/slots',
  'db/migrate',
  'http/idempotent-answers',
  'http/rate-limit',
  'knowledge/indexing',
  'webhooks/job-queue',
  'webhooks/outbox',
].map((name) => `dist/test/${name}.test.js`);
/** Its programs, as the launcher prepared them. */
const otherPostgres: string | undefined = JSON.parse(process.env.PARLEY_TOOLS ?? '{}')[
  'other-postgresql'
]?.path;

/** A condition may come late on a busy machine: vitest's own second is short. */
const PATIENT = { poll: { timeout: 20_000 } } as const;

/** What computes may run two files at a time. */
const SIDE_BY_SIDE = {
  pool: 'forks',
  maxWorkers: 2,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  expect: PATIENT,
  sequence: { groupOrder: 0 },
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['dist/test/**/*.test.js'],
          exclude: [...REAL_TIME, OTHER_POSTGRES],
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'other-postgres',
          include: [OTHER_POSTGRES, ...(otherPostgres ? DATABASE_SUITES : [])],
          env: otherPostgres ? { PARLEY_TEST_POSTGRES: otherPostgres } : {},
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'real-time',
          include: REAL_TIME,
          pool: 'forks',
          maxWorkers: 1,
          fileParallelism: false,
          // A busy machine may spoil one attempt at real time; the run names each test that took two.
          retry: 1,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: PATIENT,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
