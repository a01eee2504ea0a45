import type { CallReport } from './run-scenario.js';

/** Milliseconds. */
interface Distribution {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly worst: number;
}

export interface RunReport {
  readonly calls: number;
  readonly answered: number;
  readonly faults: number;
  readonly mostLeadMs: number;
  readonly latencyMs: Distribution | undefined;
  readonly bargeInMs: Distribution | undefined;
  readonly each: readonly CallReport[];
}

export function reportOn(each: readonly CallReport[]): RunReport {
  return {
    calls: each.length,
    answered: each.filter(({ wasAnswered }) => wasAnswered).length,
    faults: each.reduce((sum, { faults }) => sum + faults.length, 0),
    mostLeadMs: Math.max(0, ...each.map(({ mostLeadMs }) => mostLeadMs)),
    latencyMs: distributionOf(each.flatMap(({ latencyMs }) => latencyMs)),
    bargeInMs: distributionOf(each.flatMap(({ bargeInMs }) => bargeInMs)),
    each,
  };
}

export function isGood({ calls, answered, faults }: RunReport): boolean {
  return answered === calls && faults === 0;
}

/** The report as lines for a person. */
export function linesOf(report: RunReport): readonly string[] {
  const [only] = report.each;
  const isOne = report.each.length === 1 && only !== undefined;
  const lines = isOne ? linesOfCall(only) : [`${report.calls} calls, ${report.answered} answered`];
  const times = [
    ...distributionLines("end of the caller's speech → the agent is heard", report.latencyMs),
    ...distributionLines('the caller breaks in → the agent is silent', report.bargeInMs),
    `sent ahead, at most: ${report.mostLeadMs.toFixed(0)} ms`,
  ];
  const faults = report.each.flatMap((call) =>
    call.faults.map(
      ({ atMs, code, what }) => `FAULT at ${(atMs / 1000).toFixed(2)} s, ${code}: ${what}`,
    ),
  );
  return [...lines, ...times, ...faults];
}

function linesOfCall({ callId, wasAnswered, end, seconds, firstAgentMs }: CallReport): string[] {
  const name = callId === undefined ? 'the call' : `call ${callId}`;
  const ended = `${name}: ${seconds.toFixed(1)} s, the ${end.by} ${end.how}`;
  if (!wasAnswered) return [`${name} was not answered: the ${end.by} ${end.how}`];
  const heard = firstAgentMs === undefined ? 'never' : `after ${firstAgentMs} ms`;
  return [ended, `the agent was first heard: ${heard}`];
}

function distributionLines(name: string, spread: Distribution | undefined): string[] {
  if (!spread) return [`${name}: none`];
  const { count, p50, p95, worst } = spread;
  if (count === 1) return [`${name}: ${p50.toFixed(0)} ms`];
  const figures = [p50, p95, worst].map((ms) => ms.toFixed(0));
  return [`${name}: p50 ${figures[0]}, p95 ${figures[1]}, worst ${figures[2]} ms of ${count}`];
}

/** Percentiles by nearest rank; undefined without values. */
function distributionOf(values: readonly number[]): Distribution | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), worst: at(1) };
}
