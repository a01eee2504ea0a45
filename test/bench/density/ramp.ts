import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningGateway, startGateway } from '../gateway.js';
import { boundOf, type Counts, countsOf } from '../histogram.js';
import { type TreeUsage, usageOfTree } from '../process-tree.js';
import type { CallerFigures } from './light-caller.js';

const BAR_LATENESS_MS = 20;
/** Time before new calls are measured, in milliseconds. */
const SETTLE_MS = 5_000;
const MEASURE_MS = 15_000;

/** Callers of one transport in a child process. */
export interface RampCallers {
  /** Adds one call. @throws an error that contains OVERLOADED if the gateway refuses it */
  add(): Promise<void>;
  report(): Promise<CallerFigures>;
  stop(): void;
}

/** Results of one step of the ramp. */
interface Step {
  readonly calls: number;
  /** CPU use of all processes of the gateway, in cores. */
  readonly cores: number;
  readonly callsACore: number;
  /** Upper bound of the 99th percentile. */
  readonly latenessP99Ms: number;
  readonly loopDelayP99Ms: number;
  readonly residentMb: number;
  readonly answers: number;
  readonly unanswered: number;
  /** Number of audible gaps inside answers, and the longest in milliseconds. */
  readonly gaps: number;
  readonly longestGapMs: number;
}

export interface Ramp {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The largest step with frames on time. */
  readonly best: Step | undefined;
  readonly bytesACall: number;
}

export interface RampOptions {
  readonly name: string;
  /** Arguments of Node. Default: the product. */
  readonly program?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxCalls: number;
  readonly step: number;
  /** Continues with late frames. */
  readonly continuesWhenLate: boolean;
  readonly callersFor: (gateway: RunningGateway) => Promise<RampCallers>;
}

/** Adds calls step by step until frames are late or the gateway refuses calls. */
export async function ramp(options: RampOptions): Promise<Ramp> {
  const { name, program, env, maxCalls, step, continuesWhenLate } = options;
  const gateway = await startGateway({
    ...(program && { program }),
    env: { CONCURRENT_CALLS: '0', REQUESTS_PER_MINUTE: '0', ...env },
  });
  let callers: RampCallers | undefined;
  const steps: Step[] = [];
  try {
    callers = await options.callersFor(gateway);
    for (let calls = step; calls <= maxCalls; calls += step) {
      if (!(await addCalls(callers, step))) break;
      await sleep(SETTLE_MS);
      const measured = await measureStep(gateway, callers, calls);
      steps.push(measured);
      console.error(`${name}: ${JSON.stringify(measured)}`);
      if (measured.latenessP99Ms > BAR_LATENESS_MS && !continuesWhenLate) break;
    }
  } finally {
    callers?.stop();
    await gateway.close();
  }
  const best = steps.filter(({ latenessP99Ms }) => latenessP99Ms <= BAR_LATENESS_MS).at(-1);
  return { name, steps, best, bytesACall: bytesACallOf(steps[0], best) };
}

/** Memory added per call between the first step and the last one on time; 0 without such steps. */
function bytesACallOf(first: Step | undefined, last: Step | undefined): number {
  if (!first || !last || first === last) return 0;
  return ((last.residentMb - first.residentMb) * 2 ** 20) / (last.calls - first.calls);
}

/** @returns false if the gateway refuses more calls */
async function addCalls(callers: RampCallers, count: number): Promise<boolean> {
  for (let i = 0; i < count; i++) {
    try {
      await callers.add();
    } catch (error) {
      if (!String(error).includes('OVERLOADED')) throw error;
      console.error('the gateway accepts no more calls');
      return false;
    }
    // Starts callers at different times.
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
  callers: RampCallers,
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

async function read(gateway: RunningGateway, callers: RampCallers): Promise<Reading> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const delay = /event_loop_delay_seconds\{quantile="0.99"\} (\S+)/.exec(metrics)?.[1];
  return {
    at: performance.now(),
    usage: usageOfTree(gateway.pid),
    lateness: countsOf(metrics, 'frame_lateness_seconds'),
    loopDelayS: Number(delay),
    callers: await callers.report(),
  };
}
