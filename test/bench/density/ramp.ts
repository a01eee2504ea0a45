import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningGateway, startGateway } from '../gateway.js';
import { boundOf, type Counts, countsOf } from '../histogram.js';
import { type TreeUsage, usageOfTree } from '../process-tree.js';
import type { CallerFigures } from './light-caller.js';

const BAR_LATENESS_MS = 20;
/** New calls settle for so long before they are measured. */
const SETTLE_MS = 5_000;
const MEASURE_MS = 15_000;

/** Callers of one kind of wire, in a process of their own. */
export interface RampCallers {
  /** Adds one more call. @throws an error that says OVERLOADED when the gateway takes no more */
  add(): Promise<void>;
  report(): Promise<CallerFigures>;
  stop(): void;
}

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

export interface Ramp {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The largest step in which frames were on time. */
  readonly best: Step | undefined;
  readonly bytesACall: number;
}

export interface RampOptions {
  readonly name: string;
  /** What Node runs, by default the product. */
  readonly program?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly most: number;
  readonly step: number;
  /** Goes on although frames are late. */
  readonly isStubborn: boolean;
  readonly callersFor: (gateway: RunningGateway) => Promise<RampCallers>;
}

/** Adds calls, step by step, until frames are late or the gateway takes no more. */
export async function ramp(options: RampOptions): Promise<Ramp> {
  const { name, program, env, most, step, isStubborn } = options;
  const gateway = await startGateway({
    ...(program && { program }),
    env: { CONCURRENT_CALLS: '0', REQUESTS_PER_MINUTE: '0', ...env },
  });
  let callers: RampCallers | undefined;
  const steps: Step[] = [];
  try {
    callers = await options.callersFor(gateway);
    for (let calls = step; calls <= most; calls += step) {
      if (!(await addCalls(callers, step))) break;
      await sleep(SETTLE_MS);
      const measured = await measureStep(gateway, callers, calls);
      steps.push(measured);
      console.error(`${name}: ${JSON.stringify(measured)}`);
      if (measured.latenessP99Ms > BAR_LATENESS_MS && !isStubborn) break;
    }
  } finally {
    callers?.stop();
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
async function addCalls(callers: RampCallers, count: number): Promise<boolean> {
  for (let i = 0; i < count; i++) {
    try {
      await callers.add();
    } catch (error) {
      if (!String(error).includes('OVERLOADED')) throw error;
      console.error('the gateway accepts no more calls');
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
