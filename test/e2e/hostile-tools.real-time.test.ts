import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { makeAgent, requestConnection } from '../bench/bench-agent.js';
import { CallersProcess } from '../bench/density/callers-process.js';
import { type RunningGateway, startGateway } from '../bench/gateway.js';
import { type Counts, countsBetween, countsOf, quantileOf } from '../bench/histogram.js';

const INSTANT = fileURLToPath(new URL('../bench/density/instant-gateway.js', import.meta.url));
const CALLS = 20;
const HOSTILE_CALLS = 3;
const ROUNDS = 3;
/** Time for the calls to start and for hostile ones to ask their first question. */
const SETTLE_MS = 4_000;
const MEASURE_MS = 8_000;
const SAVE_EVERY_MS = 100;
const MAX_DIFFERENCE_MS = 5;
const ROOM = { max_call_duration_seconds: 3600, greeting: 'Hello, this is the flower shop.' };

const SLOW_PATTERN = {
  type: 'object',
  properties: { texts: { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } } },
};
/** The largest accepted schema: its compilation takes a worker close to its deadline. */
const LARGE = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [
      `p${i}`,
      { type: 'string', minLength: i, format: 'uri' },
    ]),
  ),
};
const TOO_LARGE = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 1_500 }, (_, i) => [`p${i}`, { type: 'string', pattern: '^a' }]),
  ),
};

const tool = (name: string, parameters: object) => ({
  name,
  description: '',
  url: 'https://tools.example/',
  method: 'POST' as const,
  execution_mode: 'sync' as const,
  auth_type: 'none' as const,
  response: null,
  timeout: 10,
  parameters: { ...parameters } as Record<string, unknown>,
});

/** Retries while an overloaded gateway refuses calls. */
async function connectWhenAdmitted(gateway: RunningGateway, agentId: string) {
  let details: Awaited<ReturnType<typeof requestConnection>> | undefined;
  const isAdmitted = async () => {
    details = await requestConnection(gateway, agentId).catch((error: Error) => {
      if (!error.message.includes('OVERLOADED')) throw error;
      return undefined;
    });
    return details !== undefined;
  };
  await expect.poll(isAdmitted, { interval: 500, timeout: 60_000 }).toBe(true);
  return details!;
}

async function lateness({ url }: RunningGateway): Promise<Counts> {
  return countsOf(await (await fetch(`${url}/metrics`)).text(), 'frame_lateness_seconds');
}

async function measured(gateway: RunningGateway): Promise<Counts> {
  await sleep(SETTLE_MS);
  const before = await lateness(gateway);
  await sleep(MEASURE_MS);
  return countsBetween(before, await lateness(gateway));
}

/** Saves an agent with an oversized schema repeatedly. */
async function keepSaving({ url, key }: RunningGateway, signal: AbortSignal): Promise<number[]> {
  const config = { webhooks: { tools: [tool('large', TOO_LARGE)] } };
  const body = JSON.stringify({ name: 'Hostile', config });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const statuses: number[] = [];
  while (!signal.aborted) {
    const response = await fetch(`${url}/api/v1/agent/`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    statuses.push(response.status);
    await sleep(SAVE_EVERY_MS);
  }
  return statuses;
}

const p99Ms = (counts: Counts) => 1_000 * quantileOf(0.99, counts);

it('the frames of 20 calls are not delayed by hostile tools in other calls', async () => {
  const gateway = await startGateway({
    program: [INSTANT],
    env: { CONCURRENT_CALLS: '0', REQUESTS_PER_MINUTE: '0' },
  });
  const callers = await CallersProcess.start();
  const hostileCallers = await CallersProcess.start();
  try {
    const harmless = await makeAgent(gateway, { ...ROOM, prompt: 'Roses cost thirty dollars.' });
    const hostile = await makeAgent(gateway, {
      ...ROOM,
      llm_model: 'hostile',
      webhooks: { tools: [tool('slow', SLOW_PATTERN), tool('large', LARGE)] },
    });
    for (let i = 0; i < CALLS; i++) {
      await callers.order({ type: 'call', details: await connectWhenAdmitted(gateway, harmless) });
    }
    const without: Counts[] = [];
    const withHostile: Counts[] = [];
    const statuses: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await measured(gateway));
      for (let i = 0; i < HOSTILE_CALLS; i++) {
        await hostileCallers.order({
          type: 'call',
          details: await connectWhenAdmitted(gateway, hostile),
        });
      }
      const saving = new AbortController();
      const measuring = measured(gateway).finally(() => saving.abort());
      const [counts, saved] = await Promise.all([measuring, keepSaving(gateway, saving.signal)]);
      withHostile.push(counts);
      statuses.push(...saved);
      await hostileCallers.order({ type: 'hang-up', count: HOSTILE_CALLS });
    }
    // Machine noise only adds to a round, and every round contains the effect of hostile tools.
    const rounds = without.map((counts, round) => {
      const withoutMs = p99Ms(counts);
      const withHostileMs = p99Ms(withHostile[round]!);
      return { withoutMs, besideMs: withHostileMs, differenceMs: withHostileMs - withoutMs };
    });
    for (const { withoutMs, besideMs: withHostileMs } of rounds) {
      process.stdout.write(
        `p99 frame lateness of ${CALLS} calls: ${withoutMs.toFixed(1)} ms without, ` +
          `${withHostileMs.toFixed(1)} ms with hostile tools\n`,
      );
    }
    expect(new Set(statuses)).toEqual(new Set([422]));
    const differences = rounds.map(({ differenceMs }) => differenceMs);
    expect(Math.min(...differences)).toBeLessThanOrEqual(MAX_DIFFERENCE_MS);
    expect((await callers.order({ type: 'report' })).lost).toEqual([]);
  } finally {
    callers.stop();
    hostileCallers.stop();
    await gateway.close();
  }
}, 180_000);
