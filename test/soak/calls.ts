import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeAgent, requestConnection } from '../bench/bench-agent.js';
import { numberBehind } from '../bench/comparison.js';
import { CallersProcess } from '../bench/density/callers-process.js';
import { type RunningGateway, startGateway } from '../bench/gateway.js';
import { usageOfTree } from '../bench/process-tree.js';

const INSTANT = fileURLToPath(new URL('../bench/density/instant-gateway.js', import.meta.url));
const AGENT = {
  greeting: 'Hello, this is the flower shop.',
  prompt: 'Twelve red roses cost thirty dollars, with a vase.',
};
const CALLS = 10;
/** Duration of the calls of one wave in milliseconds: two or three turns each. */
const WAVE_MS = 14_000;
const LINGER_MS = 1_000;
const COLLECTIONS = 4;
const ENDED_WITHIN_MS = 30_000;
/** The first waves fill caches and compile code. */
const WARM_UP_SHARE = 1 / 3;
/** Maximum growth of live memory in KB per minute. */
const BAR_KB_A_MINUTE = 50;

interface Sample {
  readonly minutes: number;
  readonly liveKb: number;
  readonly residentKb: number;
}

/**
 * `npm run soak -- calls --minutes 15`: runs waves of calls and measures the live memory after a
 * garbage collection between them. It must not grow by more than 50 KB per minute.
 */
export async function run(args: readonly string[]): Promise<number> {
  const minutes = numberBehind(args, '--minutes', 15);
  const gateway = await startGateway({ program: ['--expose-gc', INSTANT] });
  const callers = await CallersProcess.start();
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 60_000;
  try {
    const agentId = await makeAgent(gateway, AGENT);
    let calls = 0;
    while (passed() < minutes) {
      for (let i = 0; i < CALLS; i++, calls++) {
        await callers.order({ type: 'call', details: await requestConnection(gateway, agentId) });
        await sleep(100);
      }
      await sleep(WAVE_MS);
      await callers.order({ type: 'hang-up', count: CALLS });
      await allEnded(gateway);
      const sample = { minutes: passed(), ...(await memoryOf(gateway)) };
      samples.push(sample);
      const { liveKb, residentKb } = sample;
      console.log(
        `${sample.minutes.toFixed(1)} min, ${calls} calls: ${liveKb.toFixed(0)} KB live, ${residentKb.toFixed(0)} KB resident`,
      );
    }
    const { answers, unanswered } = await callers.order({ type: 'report' });
    console.log(`${calls} calls, ${answers} answers, ${unanswered} questions without one`);
  } finally {
    callers.stop();
    await gateway.close();
  }
  const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const live = slopeOf(settled.map(({ minutes: x, liveKb: y }) => ({ x, y })));
  const resident = slopeOf(settled.map(({ minutes: x, residentKb: y }) => ({ x, y })));
  const isMet = live < BAR_KB_A_MINUTE;
  console.log(
    `${isMet ? 'met   ' : 'missed'} growth: ${live.toFixed(1)} KB a minute (bar ${BAR_KB_A_MINUTE}); resident ${resident.toFixed(1)}`,
  );
  return isMet ? 0 : 1;
}

async function metricsOf({ url }: RunningGateway): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

async function allEnded(gateway: RunningGateway): Promise<void> {
  const until = performance.now() + ENDED_WITHIN_MS;
  for (;;) {
    const counts = (await metricsOf(gateway)).matchAll(/^calls\{state="\w+"\} (\d+)$/gm);
    const open = [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    if (open === 0) return;
    if (performance.now() > until) throw new Error(`${open} calls have not ended`);
    await sleep(200);
  }
}

/** Live memory after a garbage collection, and memory of the process. */
async function memoryOf(gateway: RunningGateway) {
  // Timers and buffers of ended calls are released with a delay: the minimum counts.
  let live = Number.POSITIVE_INFINITY;
  for (let i = 0; i < COLLECTIONS; i++) {
    await sleep(LINGER_MS);
    const found = /^bench_live_bytes (\S+)$/m.exec(await metricsOf(gateway))?.[1];
    live = Math.min(live, Number(found));
  }
  const { residentBytes } = usageOfTree(gateway.pid);
  return { liveKb: live / 1024, residentKb: residentBytes / 1024 };
}

/** Median of the slopes of all pairs, which is robust against outliers. Source: Sen, 1968. */
function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const slopes = points.flatMap((a, i) =>
    points.slice(i + 1).map((b) => (b.y - a.y) / (b.x - a.x)),
  );
  slopes.sort((a, b) => a - b);
  return slopes[Math.floor(slopes.length / 2)] ?? Number.NaN;
}
