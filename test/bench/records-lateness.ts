import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeAgent, requestConnection } from './bench-agent.js';
import { CallersProcess } from './density/callers-process.js';
import { type RunningGateway, startGateway } from './gateway.js';
import { boundOf, type Counts, countsOf } from './histogram.js';
import { usageOfTree } from './process-tree.js';
import type { RecordsFigures, RecordsOptions } from './records-section.js';

const INSTANT = fileURLToPath(new URL('./density/instant-gateway.js', import.meta.url));
const AGENT = {
  greeting: 'Hello, this is the flower shop.',
  prompt: 'Twelve red roses cost thirty dollars, with a vase.',
  max_call_duration_seconds: 3600,
};
/** Number of concurrent calls. */
const CALLS = 20;
const ROUNDS = 2;
const SETTLE_MS = 5_000;
const MEASURE_MS = 12_000;
/** Frames are on time up to this lateness in milliseconds. */
const ON_TIME_MS = 20;

interface Reading {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cores: number;
}

/** Measures the lateness of the frames of twenty calls, alternately without and with recording. */
export async function measure({ reportProgress }: RecordsOptions): Promise<RecordsFigures> {
  const gateway = await startGateway({
    program: [INSTANT],
    env: { CONCURRENT_CALLS: '0', REQUESTS_PER_MINUTE: '0' },
  });
  const callers = await CallersProcess.start();
  const without: Reading[] = [];
  const recorded: Reading[] = [];
  try {
    const plain = await makeAgent(gateway, { ...AGENT, recording_enabled: false });
    const recording = await makeAgent(gateway, { ...AGENT, recording_enabled: true });
    for (let round = 0; round < ROUNDS; round++) {
      reportProgress(`records: ${CALLS} calls without recording`);
      without.push(await wave(gateway, callers, plain));
      reportProgress(`records: ${CALLS} calls with recording`);
      recorded.push(await wave(gateway, callers, recording));
    }
  } finally {
    callers.stop();
    await gateway.close();
  }
  const [before, after] = [meanOf(without), meanOf(recorded)];
  // If frames are extremely late without recording, the comparison says nothing.
  const isMet = Number.isFinite(after.p99Ms) && after.p99Ms <= Math.max(ON_TIME_MS, before.p99Ms);
  const line = (name: string, { p50Ms, p99Ms, cores }: Reading) =>
    `${name}: p50 ${p50Ms.toFixed(1)} ms late, p99 ${p99Ms.toFixed(1)}; ${cores.toFixed(2)} cores`;
  return {
    isMet,
    lines: [
      line('       without', before),
      line(isMet ? 'met    recorded' : 'missed recorded', after),
    ],
    figures: {
      calls: CALLS,
      without: before,
      recorded: after,
      coresRatio: after.cores / before.cores,
    },
  };
}

async function wave(
  gateway: RunningGateway,
  callers: CallersProcess,
  agentId: string,
): Promise<Reading> {
  for (let i = 0; i < CALLS; i++) {
    await callers.order({ type: 'call', details: await requestConnection(gateway, agentId) });
    await sleep(100);
  }
  await sleep(SETTLE_MS);
  const before = await read(gateway);
  await sleep(MEASURE_MS);
  const after = await read(gateway);
  await callers.order({ type: 'hang-up', count: CALLS });
  // Callers may reconnect for ten seconds.
  await sleep(12_000);
  const lateMs = (share: number) => 1000 * boundOf(share, before.lateness, after.lateness);
  return {
    p50Ms: lateMs(0.5),
    p99Ms: lateMs(0.99),
    cores: ((after.cpuSeconds - before.cpuSeconds) * 1000) / (after.at - before.at),
  };
}

async function read(
  gateway: RunningGateway,
): Promise<{ readonly at: number; readonly lateness: Counts; readonly cpuSeconds: number }> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const { cpuSeconds } = usageOfTree(gateway.pid);
  return {
    at: performance.now(),
    lateness: countsOf(metrics, 'frame_lateness_seconds'),
    cpuSeconds,
  };
}

function meanOf(readings: readonly Reading[]): Reading {
  const mean = (pick: (reading: Reading) => number) =>
    readings.reduce((sum, reading) => sum + pick(reading), 0) / readings.length;
  return {
    p50Ms: mean(({ p50Ms }) => p50Ms),
    p99Ms: mean(({ p99Ms }) => p99Ms),
    cores: mean(({ cores }) => cores),
  };
}
