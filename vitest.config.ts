import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { cacheRoot } from './scripts/cache-folders.mjs';

// The tier of a test file is told by its path: see docs/contributing/testing.md.
const SMOKE = ['dist/test/smoke/**/*.test.js'];
const SLOW = ['dist/test/**/*.slow.test.js'];
const END_TO_END = ['dist/test/e2e/**/*.test.js'];
const REAL_TIME = ['dist/test/e2e/**/*.real-time.test.js'];

/** Their files leave nothing behind in the process, so they share one and start faster. */
const SHARED_PROCESS = [
  'agents-runtime',
  'features/dictionaries',
  'features/phone-numbers',
  'features/voices',
  'media',
  'platform/secrets',
].map((folder) => `dist/test/${folder}/**/*.test.js`);

const OTHER_POSTGRES = 'dist/test/platform/db/other-postgres.slow.test.js';
/** The suites that also run against a PostgreSQL of another major version. */
const DATABASE_SUITES = [
  'features/agents/concurrent-changes',
  'features/agents/agents.service',
  'calls/commands/call-commands.service',
  'calls/history/call-history',
  'calls/admission/credits',
  'calls/admission/slots',
  'platform/db/migrate',
  'platform/http/idempotency',
  'platform/http/rate-limit',
  'features/knowledge/indexing/indexing',
  'platform/jobs/job-queue',
  'features/webhooks/webhook-outbox',
].map((name) => `dist/test/${name}{,.slow}.test.js`);
const hasOtherPostgres =
  'path' in (JSON.parse(process.env.PARLEY_TOOLS ?? '{}')['postgresql-16'] ?? {});

/** A condition may come late on a busy machine: vitest's default is one second. */
const expect = { poll: { timeout: 60_000 } } as const;

const TWO_AT_A_TIME = {
  pool: 'forks',
  maxWorkers: 2,
  // Long enough for a machine that does much else: a test waits for conditions, and ends when they are met.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect,
} as const;

/** For suites that start products. */
const WITH_PRODUCTS = {
  pool: 'forks',
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect,
  // Fewer calls than those at which a gateway begins to refuse calls under load.
  maxConcurrency: 3,
} as const;

const project = (name: string, test: object) => ({ test: { name, ...test } });

export default defineConfig({
  // Durations per file, by which vitest orders the next run, survive in the cache of another clone.
  cacheDir: join(cacheRoot(), 'vitest'),
  // Vite does not watch a folder that it would empty.
  build: { emptyOutDir: false },
  test: {
    // Else `test:watch` runs everything at its start while package.json has uncommitted changes.
    forceRerunTriggers: [],
    globalSetup: ['dist/test/support/harness/postgres/postgres-setup.js'],
    projects: [
      project('core', {
        include: ['dist/test/**/*.test.js'],
        exclude: [...SMOKE, ...SLOW, ...END_TO_END, ...SHARED_PROCESS],
        ...TWO_AT_A_TIME,
      }),
      project('core-shared', {
        include: SHARED_PROCESS,
        exclude: SLOW,
        isolate: false,
        ...TWO_AT_A_TIME,
      }),
      project('smoke', {
        include: SMOKE,
        ...WITH_PRODUCTS,
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
      }),
      project('slow', { include: SLOW, exclude: [OTHER_POSTGRES], ...TWO_AT_A_TIME }),
      project('other-postgres', {
        include: [OTHER_POSTGRES, ...(hasOtherPostgres ? DATABASE_SUITES : [])],
        globalSetup: ['dist/test/support/harness/postgres/other-postgres-setup.js'],
        ...TWO_AT_A_TIME,
      }),
      project('e2e', {
        include: END_TO_END,
        exclude: REAL_TIME,
        ...WITH_PRODUCTS,
        maxWorkers: 2,
        sequence: { groupOrder: 2 },
      }),
      // What they measure, another process could spoil: they run last, one at a time.
      project('real-time', {
        include: REAL_TIME,
        ...WITH_PRODUCTS,
        maxWorkers: 1,
        fileParallelism: false,
        sequence: { groupOrder: 3 },
      }),
    ],
  },
});
