import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that counts test results and prints why suites were skipped. It writes the
 * counts as JSON to the file in PARLEY_TEST_COUNTS, because vitest's own summary is not a stable
 * format.
 */
export default class TestCounts {
  onTestRunEnd(modules, unhandledErrors) {
    const { skipReasons, ...counts } = countTests(modules, unhandledErrors);
    for (const reason of skipReasons) console.log(`Skipped: ${reason}`);
    const file = process.env.PARLEY_TEST_COUNTS;
    if (file) writeFileSync(file, JSON.stringify(counts));
  }
}

/**
 * Counts tests by result. A failure outside of a test (a suite that did not load, a hook, an
 * unhandled rejection) and an unfinished test count as one failure each.
 */
function countTests(modules, unhandledErrors) {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, skipReasons: [] };
  for (const module of modules) {
    if (module.errors().length > 0) counts.failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) counts.failed += 1;
    }
    for (const test of module.children.allTests()) {
      const { state, note } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'skipped') counts.skipped += 1;
      else counts.failed += 1;
      if (note) counts.skipReasons.push(`${test.parent?.name ?? test.name}: ${note}`);
    }
  }
  return counts;
}

/**
 * The last line of a test run and its exit code. Missing counts (vitest crashed), no executed test,
 * and an unexplained exit code count as one failure each.
 * @param {readonly {counts?: {passed: number, failed: number, skipped: number}, code: number}[]}
 * runs
 * @param {{requireAll?: boolean}} [options] `requireAll`: each skipped test counts as failed
 */
export function closing(runs, { requireAll = false } = {}) {
  const sum = (what) => runs.reduce((total, { counts }) => total + (counts?.[what] ?? 0), 0);
  const notCounted = runs.filter(({ counts }) => !counts).length;
  const skips = sum('skipped');
  let failed = sum('failed') + notCounted + (requireAll ? skips : 0);
  const isUnexplained = runs.some(({ code }) => code !== 0) || sum('passed') === 0;
  if (failed === 0 && isUnexplained) failed = 1;
  return {
    line: `${sum('passed')} passed, ${failed} failed, ${requireAll ? 0 : skips} skipped`,
    exitCode: failed > 0 ? runs.find(({ code }) => code !== 0)?.code || 1 : 0,
  };
}
