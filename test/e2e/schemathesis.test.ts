import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Product } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { startFuzzedProduct } from '../support/programs/schemathesis/fuzzed-product.js';
import { runSchemathesis } from '../support/programs/schemathesis/run-schemathesis.js';

describeWith(['schemathesis'], 'schemathesis', ({ schemathesis: python }) => {
  let product: Product;
  beforeAll(async () => {
    product = await startFuzzedProduct();
  });
  afterAll(() => product?.stop());

  it('has no findings for the running product except accepted coercions', async () => {
    // Without a seed, the cases are the same in every run. `npm run soak -- schemathesis` runs
    // longer.
    const phases = ['examples', 'fuzzing'];
    const outcome = await runSchemathesis(product, { python, phases, maxExamples: 6 });
    const { findings, operations, output } = outcome;
    expect(findings, output.slice(-3_000)).toEqual([]);
    expect(operations.tested, output.slice(-3_000)).toBe(operations.total);
    expect(outcome.cases).toBeGreaterThan(5 * operations.total);
    expect(product.logs().match(/"level":"(error|fatal)"/)).toBeNull();
  }, 300_000);
});
