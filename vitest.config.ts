import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites with a product of their own go last; they are in real time, and so one by one … */
const END_TO_END = ['dist/test/e2e/**/*.test.js'];
/** … but for these: they wait for conditions, and measure nothing that another process could spoil. */
const PRODUCTS = [
  'admin',
  'bad-bodies',
  'call-endings',
  'call-wires',
  'contract',
  'contract-errors',
  'dictionaries',
  'gateways',
  'kill',
  'knowledge',
  'languages',
  'launcher',
  'livekit-gateways',
  'orderly-end',
  'page',
  'readme',
  'recording',
  'schemathesis',
  'spoken-words',
  'webhooks',
].map((name) => `dist/test/e2e/${name}.test.js`);

/** What leaves nothing behind in its process: files need no process of their own, and begin at once. */
const TIDY = ['agents-runtime', 'dictionaries', 'media', 'numbers', 'secrets', 'voices'].map(
  (folder) => `dist/test/${folder}/**/*.test.js`,
);

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

/** What takes longest, in that order: begun first, so that two workers are busy to the end. */
const LONGEST = [
  'retrieval',
  'outbox',
  'piper-voice',
  'launch',
  'decoded-formats',
  'spoken-formats',
  'embedded-postgres',
  'kill',
  'gateways',
  'livekit-gateways',
  'admin',
  'call-endings',
  'dictionaries',
  'launcher',
  'languages',
  'page',
  'call-wires',
  'knowledge',
  'schemathesis',
];

/** vitest knows how long files take only where they have run before. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.js`));
      return found < 0 ? LONGEST.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.sort((left, right) => place(left) - place(right));
  }
}

/** A condition may come late on a busy machine: vitest's own second is short. */
const PATIENT = { poll: { timeout: 20_000 } } as const;

/** A busy machine may spoil one attempt: the run names each test that took two. */
const ATTEMPTS = { retry: 1 } as const;

/** What computes may run two files at a time. */
const SIDE_BY_SIDE = {
  ...ATTEMPTS,
  pool: 'forks',
  maxWorkers: 2,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  expect: PATIENT,
  sequence: { groupOrder: 0 },
} as const;

/** What starts products. */
const WITH_PRODUCTS = {
  ...ATTEMPTS,
  pool: 'forks',
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: PATIENT,
  // Fewer calls than those at which a gateway begins to weigh whether it can take another.
  maxConcurrency: 3,
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'fast',
          include: ['dist/test/**/*.test.js'],
          exclude: [...END_TO_END, ...TIDY, OTHER_POSTGRES],
          ...SIDE_BY_SIDE,
        },
      },
      { test: { name: 'fast-tidy', include: TIDY, ...SIDE_BY_SIDE, isolate: false } },
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
          name: 'products',
          include: PRODUCTS,
          ...WITH_PRODUCTS,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'real-time',
          include: END_TO_END,
          exclude: PRODUCTS,
          ...WITH_PRODUCTS,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
