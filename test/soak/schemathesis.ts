import { parseArgs } from 'node:util';
import { prepareTool } from '../support/harness/process/required-tools.js';
import { startFuzzedProduct } from '../support/programs/schemathesis/fuzzed-product.js';
import { runSchemathesis } from '../support/programs/schemathesis/run-schemathesis.js';

/** All kinds of requests and sequences of requests. */
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'];

/**
 * `npm run soak -- schemathesis --examples 200 --seed 7`: `examples` requests per phase and
 * operation.
 */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { examples: { type: 'string', default: '200' }, seed: { type: 'string' } },
  });
  const [maxExamples, seed] = [values.examples, values.seed ?? String(Date.now() % 1_000_000)].map(
    Number,
  );
  if (!Number.isInteger(maxExamples) || maxExamples! < 1 || !Number.isInteger(seed)) {
    console.error('--examples is a whole number from 1, --seed a whole number');
    return 2;
  }
  const python = prepareTool('schemathesis');
  const product = await startFuzzedProduct();
  try {
    console.log(`seed ${seed}`);
    const options = { python, phases: PHASES, maxExamples: maxExamples!, seed: seed! };
    const { operations, cases, explained, findings, output } = await runSchemathesis(
      product,
      options,
    );
    for (const finding of findings) console.log(finding);
    for (const [name, count] of explained) console.log(`explained: ${name} (${count})`);
    const { tested, total } = operations;
    console.log(`${tested} of ${total} operations, ${cases} requests, ${findings.length} findings`);
    if (cases === 0) console.log(output);
    return findings.length === 0 && tested >= total ? 0 : 1;
  } finally {
    await product.stop();
  }
}
