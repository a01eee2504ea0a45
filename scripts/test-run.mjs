import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

/** The projects of vitest.config.ts in each tier. */
const TIERS = {
  core: ['core', 'core-shared', 'smoke'],
  rest: ['slow', 'other-postgres', 'e2e', 'real-time'],
};

/**
 * Runs the built tests of a tier, or the selected ones of both tiers.
 * @param {string} root
 * @param {'core' | 'rest' | undefined} tier
 * @param {readonly string[]} args for vitest: file filters, --project, -t …
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{counts?: {passed: number, failed: number, skipped: number}, code: number}>}
 */
export async function runTests(root, tier, args, env = {}) {
  const scratch = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const countsFile = join(scratch, 'counts.json');
  const reporters = ['default', join(root, 'scripts/test-counts.mjs')];
  const options = [
    ...reporters.map((reporter) => `--reporter=${reporter}`),
    ...projectsOf(tier),
    ...args,
  ];
  try {
    const { code } = await run(process.execPath, [vitestProgram(root), 'run', ...options], {
      show: true,
      cwd: root,
      env: { ...env, PARLEY_TEST_COUNTS: countsFile },
    });
    const isCounted = existsSync(countsFile);
    return { code, ...(isCounted && { counts: JSON.parse(readFileSync(countsFile, 'utf8')) }) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The tier's projects as arguments of vitest. */
export const projectsOf = (tier) =>
  (TIERS[tier] ?? []).flatMap((project) => ['--project', project]);

export const vitestProgram = (root) => join(root, 'node_modules/vitest/vitest.mjs');
