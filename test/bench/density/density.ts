import { fileURLToPath } from 'node:url';
import { makeAgent, requestConnection } from '../bench-agent.js';
import { machineNow, numberBehind } from '../comparison.js';
import type { RunningGateway } from '../gateway.js';
import { CallersProcess, QUESTION } from './callers-process.js';
import { type Ramp, type RampCallers, ramp } from './ramp.js';

export const INSTANT = fileURLToPath(new URL('./instant-gateway.js', import.meta.url));
export const AGENT = {
  greeting: 'Hello, this is the flower shop.',
  prompt: 'Twelve red roses cost thirty dollars, with a vase.',
  max_call_duration_seconds: 3600,
};
/** Minimum number of calls per core. */
const BAR_CALLS_A_CORE = 50;
const BAR_BYTES_A_CALL = 2 * 1024 * 1024;
const WITH_INSTANT = 'instant providers';
const STEP = 10;
const MAX_CALLS = 200;

/**
 * Measures how many calls a core can run: adds calls until frames are late. `--json` prints JSON,
 * `--calls N` and `--step N` set the maximum and the step, and `--on` continues with late frames.
 * `--instant` measures instant providers, `--local` the product with local models; default: both.
 */
export async function run(args: readonly string[]): Promise<number> {
  const step = numberBehind(args, '--step', STEP);
  const ramps: Ramp[] = [];
  const options = {
    maxCalls: numberBehind(args, '--calls', MAX_CALLS),
    continuesWhenLate: args.includes('--on'),
    callersFor: webCallers,
  };
  if (!args.includes('--local')) {
    const program = [...profiling(args), INSTANT];
    ramps.push(await ramp({ ...options, name: WITH_INSTANT, program, step }));
  }
  if (!args.includes('--instant')) {
    ramps.push(await ramp({ ...options, name: 'everything local', step: 2 }));
  }
  // There is no target for local models: the cost per call is only reported.
  const verdicts = ramps.filter(({ name }) => name === WITH_INSTANT).flatMap(verdictsOn);
  const report = { machine: machineNow(), question: QUESTION, ramps, verdicts };
  if (args.includes('--json')) {
    console.log(JSON.stringify(report, undefined, 2));
  } else {
    for (const { name, best } of ramps) {
      const bestText = best && `${best.calls} calls, ${best.callsACore.toFixed(1)} a core`;
      console.log(`${name}: ${bestText ?? 'frames were late from the first step on'}`);
    }
    for (const { name, isMet, figure, bar } of verdicts) {
      console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${figure.toFixed(2)} (bar ${bar})`);
    }
  }
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

/** `--profile FOLDER` writes CPU profiles of all threads of the gateway to the folder. */
export function profiling(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--profile');
  return at < 0 ? [] : ['--cpu-prof', '--cpu-prof-dir', args[at + 1] ?? '.'];
}

function verdictsOn({ best, bytesACall }: Ramp) {
  const density = best?.callsACore ?? 0;
  return [
    {
      name: 'calls a core',
      figure: density,
      bar: BAR_CALLS_A_CORE,
      isMet: density >= BAR_CALLS_A_CORE,
    },
    {
      name: 'MB a call',
      figure: bytesACall / 2 ** 20,
      bar: BAR_BYTES_A_CALL / 2 ** 20,
      isMet: bytesACall <= BAR_BYTES_A_CALL,
    },
  ];
}

/** Callers on the call socket. */
async function webCallers(gateway: RunningGateway): Promise<RampCallers> {
  const callers = await CallersProcess.start();
  const agentId = await makeAgent(gateway, AGENT);
  return {
    add: async () => {
      await callers.order({ type: 'call', details: await requestConnection(gateway, agentId) });
    },
    report: () => callers.order({ type: 'report' }),
    stop: () => callers.stop(),
  };
}
