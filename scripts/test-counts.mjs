import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that counts for the closing line and tells why suites were skipped. The counts go
 * as JSON to the file that PARLEY_TEST_COUNTS names: vitest's own last lines are no contract.
 */
export default class TestCounts {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = countTests(modules, unhandledErrors);
    const { skipReasons, unsteady, ...numbers } = counts;
    for (const reason of skipReasons) console.log(`Skipped: ${reason}`);
    for (const test of unsteady) console.log(`Passed at the second attempt only: ${test}`);
    const file = process.env.PARLEY_TEST_COUNTS;
    if (file) writeFileSync(file, JSON.stringify(numbers));
  }
}

/**
 * Counts tests by their ends. What failed outside a test (a suite that did not load, a hook, a stray
 * rejection) counts as one failure each, and so does a test that never came to its end.
 */
function countTests(modules, unhandledErrors) {
  const counts = {
    passed: 0,
    failed: unhandledErrors.length,
    skipped: 0,
    skipReasons: [],
    unsteady: [],
  };
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
      if (test.diagnostic()?.flaky) counts.unsteady.push(test.fullName);
      if (note) counts.skipReasons.push(`${test.parent?.name ?? test.name}: ${note}`);
    }
  }
  return counts;
}

/**
 * The last line of a test run and its exit code. Counts that are missing (vitest died), no executed
 * test, and an exit code that no failure explains count as one failure.
 * @param {{passed: number, failed: number, skipped: number} | undefined} counts
 * @param {number} vitestCode
 */
export function closing(counts, vitestCode) {
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 1, skipped: 0 };
  const unexplained = failed === 0 && (vitestCode !== 0 || passed === 0) ? 1 : 0;
  const failures = failed + unexplained;
  return {
    line: `${passed} passed, ${failures} failed, ${skipped} skipped`,
    exitCode: failures > 0 ? vitestCode || 1 : 0,
  };
}
