import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsOf, prepare } from './needs.mjs';
import { run } from './run.mjs';
import { closing } from './test-counts.mjs';

/**
 * Runs the built tests with what they need and gives the closing line.
 * @param {string} root
 * @param {readonly string[]} args for vitest: file filters, --project, -t …
 * @returns {Promise<{line: string, exitCode: number}>}
 */
export async function runTests(root, args) {
  const scratch = mkdtempSync(join(tmpdir(), 'parley-test-'));
  try {
    const files = await chosenFiles(root, args, join(scratch, 'files.json'));
    const tools = await prepare(needsOf(files));
    const countsFile = join(scratch, 'counts.json');
    const { code } = await vitest(root, ['run', ...reporters(root), ...args], {
      show: true,
      env: { PARLEY_TOOLS: JSON.stringify(tools), PARLEY_TEST_COUNTS: countsFile },
    });
    const counts = existsSync(countsFile)
      ? JSON.parse(readFileSync(countsFile, 'utf8'))
      : undefined;
    return closing(counts, code);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const reporters = (root) => [
  '--reporter=default',
  `--reporter=${join(root, 'scripts/test-counts.mjs')}`,
];

/** The test files that vitest would run with these arguments; none if it cannot tell. */
async function chosenFiles(root, args, listFile) {
  await vitest(root, ['list', '--filesOnly', `--json=${listFile}`, ...args], {});
  if (!existsSync(listFile)) return [];
  return JSON.parse(readFileSync(listFile, 'utf8')).map(({ file }) => file);
}

function vitest(root, args, options) {
  return run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    ...options,
    cwd: root,
  });
}
