import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { CallClient } from '../support/harness/call/call-client.js';
import { makeAgent, requestConnection } from './bench-agent.js';
import { freePort, isReady, type RunningGateway, startGateway } from './gateway.js';
import { boundOf, countsOf } from './histogram.js';

const HELLO = fileURLToPath(new URL('./hello.js', import.meta.url));
const CONNECTIONS = 8;
const REQUESTS = 1_500;
const CALLS = 20;
/**
 * Duration of a frame in milliseconds. A later frame would leave a gap if no audio were sent ahead.
 */
const LATENESS_BAR_MS = 20;
const GREETING = `${'We are glad that you call us today, and we will be with you as soon as we can. '.repeat(12)}Goodbye.`;

interface Load {
  readonly name: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly key?: string;
  readonly body?: object;
}

interface Outcome {
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/**
 * Measures requests per second and their latency, compared with a minimal Express service, without
 * and with running calls, whose frames must stay on time. `--json` prints JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const hello = await startHello();
  const gateway = await startGateway({
    env: { REQUESTS_PER_MINUTE: '0', CONCURRENT_CALLS: '0' },
  });
  try {
    const agentId = await makeAgent(gateway, { prompt: 'You greet.', greeting: GREETING });
    const baseline = { name: 'Express hello', url: `${hello.url}/hello`, method: 'GET' } as const;
    const loads = [baseline, ...loadsOf(gateway, agentId)];
    const alone: Outcome[] = [];
    for (const load of loads) alone.push(await measure(load));
    const duringCalls = await measureDuringCalls(gateway, agentId, loads.slice(1));
    const isMet =
      duringCalls.frameLatenessP99Ms <= LATENESS_BAR_MS &&
      duringCalls.stillSpeaking === CALLS &&
      [...alone, ...duringCalls.outcomes].every(({ failed }) => failed === 0);
    if (args.includes('--json'))
      console.log(JSON.stringify({ alone, beside: duringCalls, isMet }, undefined, 2));
    else print(alone, duringCalls, isMet);
    return isMet ? 0 : 1;
  } finally {
    await gateway.close();
    hello.close();
  }
}

async function startHello() {
  const port = await freePort();
  const child = spawn(process.execPath, [HELLO], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('The peer ended');
    await sleep(50);
  }
  return { url, close: () => child.kill() };
}

function loadsOf({ url, key }: RunningGateway, agentId: string): Load[] {
  const api = `${url}/api/v1`;
  return [
    {
      name: 'create an agent',
      url: `${api}/agent/`,
      method: 'POST',
      key,
      body: { name: 'Made by the bench', config: { prompt: 'You help.', greeting: 'Hello.' } },
    },
    { name: 'list 10 agents', url: `${api}/agent/?page=1&limit=10`, method: 'GET', key },
    {
      name: 'connection-details',
      url: `${api}/connection/connection-details`,
      method: 'POST',
      key,
      body: { agent_id: agentId, transport: 'websocket' },
    },
  ];
}

async function measure({ name, url, method, key, body }: Load): Promise<Outcome> {
  const result = await autocannon({
    url,
    method,
    connections: CONNECTIONS,
    amount: REQUESTS,
    timeout: 30,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { latency, non2xx, errors, timeouts } = result;
  return {
    name,
    requestsPerSecond: REQUESTS / ((result.finish.getTime() - result.start.getTime()) / 1000),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    failed: non2xx + errors + timeouts,
  };
}

async function measureDuringCalls(
  gateway: RunningGateway,
  agentId: string,
  loads: readonly Load[],
) {
  const clients: CallClient[] = [];
  for (let i = 0; i < CALLS; i++) {
    const client = new CallClient(await requestConnection(gateway, agentId));
    await client.connect();
    clients.push(client);
  }
  for (const client of clients) await client.state('speaking');
  await sleep(1_000);
  const before = await lateness(gateway);
  const outcomes: Outcome[] = [];
  for (const load of loads) outcomes.push(await measure(load));
  const after = await lateness(gateway);
  const stillSpeaking = clients.filter(({ closeCode }) => closeCode === undefined).length;
  for (const client of clients) client.hangUp();
  for (const client of clients) {
    await client.closed();
    client.close();
  }
  return {
    calls: CALLS,
    stillSpeaking,
    outcomes,
    frameLatenessP99Ms: boundOf(0.99, before, after) * 1000,
  };
}

async function lateness({ url }: RunningGateway) {
  return countsOf(await (await fetch(`${url}/metrics`)).text(), 'frame_lateness_seconds');
}

function print(
  alone: readonly Outcome[],
  duringCalls: Awaited<ReturnType<typeof measureDuringCalls>>,
  isMet: boolean,
): void {
  const lines = (title: string, outcomes: readonly Outcome[]) => {
    console.log(
      `\n${title.padEnd(28)}${['requests/s', 'p50', 'p99'].map((t) => t.padStart(12)).join('')}`,
    );
    for (const { name, requestsPerSecond, p50Ms, p99Ms, failed } of outcomes) {
      const cells = [requestsPerSecond.toFixed(0), `${p50Ms} ms`, `${p99Ms} ms`];
      const fault = failed > 0 ? `  ${failed} failed` : '';
      console.log(`${name.padEnd(28)}${cells.map((cell) => cell.padStart(12)).join('')}${fault}`);
    }
  };
  lines(`alone, ${CONNECTIONS} connections`, alone);
  lines(`beside ${duringCalls.calls} calls`, duringCalls.outcomes);
  const verdict = isMet ? 'met   ' : 'missed';
  console.log(
    `\n${verdict} p99 frame lateness beside the load: ${duringCalls.frameLatenessP99Ms.toFixed(0)} ms at most (bar ${LATENESS_BAR_MS} ms)`,
  );
}
