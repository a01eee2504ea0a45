import { defineConfig } from 'vitest/config';

/** Suites that run in real time go last and one by one: side by side they would flake. */
const REAL_TIME = ['dist/test/e2e/**/*.test.js'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['dist/test/**/*.test.js'],
          exclude: REAL_TIME,
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real-time',
          include: REAL_TIME,
          pool: 'forks',
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
