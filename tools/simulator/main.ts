import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import { readOptions, USAGE } from './cli-options.js';
import { isGood, linesOf } from './report.js';
import { simulate } from './simulate.js';
import { SimulateError } from './simulate-error.js';

/** Success; the gateway violated the protocol or did not answer; invalid options or environment. */
const EXIT = { good: 0, faulty: 1, refused: 2 } as const;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(USAGE);
    return EXIT.good;
  }
  if (args.length === 0) {
    console.error(USAGE);
    return EXIT.refused;
  }
  const options = readOptions(args, process.env);
  const report = await simulate(options, systemClock);
  if (options.isJson) console.log(JSON.stringify(report, undefined, 2));
  else for (const line of linesOf(report)) console.log(line);
  return isGood(report) ? EXIT.good : EXIT.faulty;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SimulateError)) throw error;
  console.error(error.message);
  process.exitCode = EXIT.refused;
}
