import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { admit, makeAgent } from '../bench-agent.js';
import { machineNow, numberBehind } from '../comparison.js';
import { type RunningGateway, startGateway } from '../gateway.js';
import { boundOf, type Counts, countsOf } from '../histogram.js';
import { type TreeUsage, usageOfTree } from '../process-tree.js';
import { CallersProcess, QUESTION } from './callers-process.js';
import type { CallerFigures } from './light-caller.js';

const INSTANT = fileURLToPath(new URL('./instant-gateway.js', import.meta.url));
const AGENT = {
  greeting: 'Hello, this is the flower shop.',
  prompt: 'Twelve red roses cost thirty dollars, with a vase.',
  max_call_duration_seconds: 3600,
};
/** Source: the conversation design, density. */
const BAR_CALLS_A_CORE = 50;
const BAR_LATENESS_MS = 20;
const BAR_BYTES_A_CALL = 2 * 1024 * 1024;
const WITH_INSTANT = 'instant providers';
const STEP = 10;
const MOST_CALLS = 200;
/** New calls settle for so long before they are measured. */
const SETTLE_MS = 5_000;
const MEASURE_MS = 15_000;

/** One step of the ramp. */
interface Step {
  readonly calls: number;
  /** Of all processes of ours, in cores. */
  readonly cores: number;
  readonly callsACore: number;
  /** The 99th percentile is at most this. */
  readonly latenessP99Ms: number;
  readonly loopDelayP99Ms: number;
  readonly residentMb: number;
  readonly answers: number;
  readonly unanswered: number;
  /** Gaps that callers heard inside answers, and the longest, ms. */
  readonly gaps: number;
  readonly longestGapMs: number;
}

interface Ramp {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The largest step in which frames were on time. */
  readonly best: Step | undefined;
  readonly bytesACall: number;
}

/**
 * How many calls a core holds: calls are added until frames are late. `--json` prints JSON,
 * `--calls N` goes no further than that in steps of `--step N`, `--on` goes on when frames are late.
 * Measured are `--instant` providers and the product itself with everything `--local`, or both.
 */
export async function run(args: readonly string[]): Promise<number> {
  const most = numberBehind(args, '--calls', MOST_CALLS);
  const step = numberBehind(args, '--step', STEP);
  const ramps: Ramp[] = [];
  const options = {
    most,
    isStubborn: args.includes('--on'),
    nodeOptions: profiling(args),
  };
  if (!args.includes('--local')) {
    ramps.push(await ramp(WITH_INSTANT, [INSTANT], { ...options, step }));
  }
  if (!args.includes('--instant')) {
    ramps.push(await ramp('everything local', undefined, { ...options, step: 2 }));
  }
  // With everything local there is no bar: what a call costs then is told as it is.
  const verdicts = ramps.filter(({ name }) => name === WITH_INSTANT).flatMap(verdictsOn);
  const report = { machine: machineNow(), question: QUESTION, ramps, verdicts };
  if (args.includes('--json')) {
    console.log(JSON.stringify(report, undefined, 2));
  } else {
    for (const { name, best } of ramps) {
      const held = best && `${best.calls} calls, ${best.callsACore.toFixed(1)} a core`;
      console.log(`${name}: ${held ?? 'frames were late from the first step on'}`);
    }
    for (const { name, isMet, figure, bar } of verdicts) {
      console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${figure.toFixed(2)} (bar ${bar})`);
    }
  }
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

/** `--profile FOLDER` leaves CPU profiles of all of the gateway's threads there. */
function profiling(args: readonly string[]): readonly string[] {
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

interface RampOptions {
  readonly most: number;
  readonly step: number;
  /** Goes on although frames are late. */
  readonly isStubborn: boolean;
  /** Of the gateway with instant providers. */
  readonly nodeOptions: readonly string[];
}

async function ramp(
  name: string,
  program: readonly string[] | undefined,
  { most, step, isStubborn, nodeOptions }: RampOptions,
): Promise<Ramp> {
  const gateway = await startGateway({
    ...(program && { program: [...nodeOptions, ...program] }),
    env: { CONCURRENT_CALLS: '0', REQUESTS_PER_MINUTE: '0' },
  });
  const callers = await CallersProcess.start();
  const steps: Step[] = [];
  try {
    const agentId = await makeAgent(gateway, AGENT);
    for (let calls = step; calls <= most; calls += step) {
      if (!(await addCalls(gateway, callers, agentId, step))) break;
      await sleep(SETTLE_MS);
      const measured = await measureStep(gateway, callers, calls);
      steps.push(measured);
      console.error(`${name}: ${JSON.stringify(measured)}`);
      if (measured.latenessP99Ms > BAR_LATENESS_MS && !isStubborn) break;
    }
  } finally {
    callers.stop();
    await gateway.close();
  }
  const best = steps.filter(({ latenessP99Ms }) => latenessP99Ms <= BAR_LATENESS_MS).at(-1);
  return { name, steps, best, bytesACall: bytesACallOf(steps[0], best) };
}

/** What the calls have added from the first step to the last that was on time; 0 when there were none. */
function bytesACallOf(first: Step | undefined, last: Step | undefined): number {
  if (!first || !last || first === last) return 0;
  return ((last.residentMb - first.residentMb) * 2 ** 20) / (last.calls - first.calls);
}

/** @returns false when the gateway takes no more. */
async function addCalls(
  gateway: RunningGateway,
  callers: CallersProcess,
  agentId: string,
  count: number,
): Promise<boolean> {
  for (let i = 0; i < count; i++) {
    try {
      await callers.order({ type: 'call', details: await admit(gateway, agentId) });
    } catch (error) {
      if (!String(error).includes('OVERLOADED')) throw error;
      console.error('the gateway takes no more calls');
      return false;
    }
    // They do not all speak at once.
    await sleep(200);
  }
  return true;
}

interface Reading {
  readonly at: number;
  readonly usage: TreeUsage;
  readonly lateness: Counts;
  readonly loopDelayS: number;
  readonly callers: CallerFigures;
}

async function measureStep(
  gateway: RunningGateway,
  callers: CallersProcess,
  calls: number,
): Promise<Step> {
  const before = await read(gateway, callers);
  await sleep(MEASURE_MS);
  const after = await read(gateway, callers);
  const cores =
    (after.usage.cpuSeconds - before.usage.cpuSeconds) / ((after.at - before.at) / 1000);
  const gaps = after.callers.gapsMs.slice(before.callers.gapsMs.length);
  if (after.callers.lost.length > 0) throw new Error(`Lost: ${after.callers.lost.join(', ')}`);
  return {
    calls,
    cores,
    callsACore: calls / cores,
    latenessP99Ms: Math.min(9_999, 1000 * boundOf(0.99, before.lateness, after.lateness)),
    loopDelayP99Ms: 1000 * after.loopDelayS,
    residentMb: after.usage.residentBytes / 2 ** 20,
    answers: after.callers.answers - before.callers.answers,
    unanswered: after.callers.unanswered - before.callers.unanswered,
    gaps: gaps.length,
    longestGapMs: Math.max(0, ...gaps),
  };
}

async function read(gateway: RunningGateway, callers: CallersProcess): Promise<Reading> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const delay = /event_loop_delay_seconds\{quantile="0.99"\} (\S+)/.exec(metrics)?.[1];
  return {
    at: performance.now(),
    usage: usageOfTree(gateway.pid),
    lateness: countsOf(metrics, 'frame_lateness_seconds'),
    loopDelayS: Number(delay),
    callers: await callers.order({ type: 'report' }),
  };
}
