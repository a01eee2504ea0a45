import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { LATENCY_PARTS } from '../../agents-runtime/session/turn-latency.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Percentiles, percentilesOf } from '../support/harness/endpointing/percentiles.js';
import { makeAgent, requestConnection, synthesiseQuestion } from './bench-agent.js';
import { isLoud, onsetOf, triggerOf } from './caller-speech.js';
import { type RunningGateway, startGateway } from './gateway.js';

const AGENT = {
  greeting: 'Hello, this is the flower shop. How can I help you?',
  prompt: `You are the voice of a flower shop.

The shop is open from eight until six.

Twelve red roses cost thirty dollars.

Delivery within the city costs five dollars.

Our gardener teaches a class about orchids every second Tuesday in the greenhouse behind the shop, and everybody is welcome to bring their own plants and ask about them for as long as they like.`,
};
const QUESTIONS = [
  'When is the shop open?',
  'How much are twelve red roses?',
  'What does delivery within the city cost?',
];
const STORY = 'Who teaches the class about orchids?';
const INTERRUPTION = 'Stop, please.';
/** Default activation threshold of the agent's VAD. */
const THRESHOLD = 0.6;
const TURNS = 12;
const GREETINGS = 10;
const INTERRUPTIONS = 6;
/** Upper limits in milliseconds. */
const GREETING_P50_MS = 250;
const PAUSE_P50_MS = 80;
const ONSET_P50_MS = 240;
const ONSET_P95_MS = 350;

const PARTS = [...LATENCY_PARTS, 'total'] as const;

interface Figures {
  readonly turns: Readonly<Record<(typeof PARTS)[number], Percentiles>>;
  /**
   * Time from the last speech sample sent to the first sample of the answer, measured at the
   * client.
   */
  readonly seenByClient: Percentiles;
  readonly greeting: Readonly<Record<'details' | 'ready' | 'firstSample' | 'total', Percentiles>>;
  readonly firstGreetingMs: number;
  readonly bargeIn: Readonly<Record<'onsetToPause' | 'triggerToPause', Percentiles>>;
  readonly eventLoopDelayP99Ms: number;
}

/**
 * Measures live calls of the built product with local models: the parts of the answer latency, the
 * time to the greeting, and the time until the agent pauses when the caller speaks. `--json` prints
 * JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const gateway = await startGateway();
  try {
    const figures = await measure(gateway);
    const verdicts = [
      { name: 'greeting p50', ms: figures.greeting.total.p50, bar: GREETING_P50_MS },
      {
        name: 'VAD trigger to pause p50',
        ms: figures.bargeIn.triggerToPause.p50,
        bar: PAUSE_P50_MS,
      },
      {
        name: 'speech onset to pause p50',
        ms: figures.bargeIn.onsetToPause.p50,
        bar: ONSET_P50_MS,
      },
      {
        name: 'speech onset to pause p95',
        ms: figures.bargeIn.onsetToPause.p95,
        bar: ONSET_P95_MS,
      },
    ].map((verdict) => ({ ...verdict, isMet: verdict.ms <= verdict.bar }));
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      load: loadavg()[0] ?? 0,
    };
    if (args.includes('--json')) {
      console.log(JSON.stringify({ machine, ...figures, verdicts }, undefined, 2));
    } else {
      print(figures, verdicts, machine);
    }
    return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
  } finally {
    await gateway.close();
  }
}

async function measure(gateway: RunningGateway): Promise<Figures> {
  const agentId = await makeAgent(gateway, AGENT);
  const questions = await Promise.all(QUESTIONS.map((text) => synthesiseQuestion(gateway, text)));
  const story = await synthesiseQuestion(gateway, STORY);
  const interruption = await synthesiseQuestion(gateway, INTERRUPTION);
  const first = await greet(gateway, agentId);
  const greetings: Awaited<ReturnType<typeof greet>>[] = [];
  for (let i = 0; i < GREETINGS; i++) greetings.push(await greet(gateway, agentId));
  const turns = await converse(gateway, agentId, questions);
  const bargeIn = await interrupt(gateway, agentId, story, interruption);
  return {
    turns: byKey(PARTS, (part) => turns.map(({ latency }) => latency[part])),
    seenByClient: percentilesOf(turns.map(({ seenMs }) => seenMs)),
    firstGreetingMs: first.total,
    greeting: byKey(['details', 'ready', 'firstSample', 'total'], (part) =>
      greetings.map((greeting) => greeting[part]),
    ),
    bargeIn: byKey(['onsetToPause', 'triggerToPause'], (part) => bargeIn.map((one) => one[part])),
    eventLoopDelayP99Ms: await loopDelayMs(gateway),
  };
}

/** Time from the client's first request to the first sample it plays. */
async function greet(gateway: RunningGateway, agentId: string) {
  const requestedAt = performance.now();
  const details = await requestConnection(gateway, agentId);
  const detailsAt = performance.now();
  const client = new CallClient(details);
  await client.connect();
  const readyAt = performance.now();
  const arrivals = client.player.arrivedAt;
  while (arrivals.length === 0) await sleep(1);
  const playedAt = performance.now() - (Date.now() - arrivals[0]!);
  client.hangUp();
  await client.closed();
  client.close();
  return {
    details: detailsAt - requestedAt,
    ready: readyAt - detailsAt,
    firstSample: Math.max(0, playedAt - readyAt),
    total: playedAt - requestedAt,
  };
}

async function converse(gateway: RunningGateway, agentId: string, questions: Float32Array[]) {
  const client = new CallClient(await requestConnection(gateway, agentId));
  await client.connect();
  await client.state('listening');
  const turns = [];
  for (let i = 0; i < TURNS; i++) {
    const question = questions[i % questions.length]!;
    const before = client.lastSeq;
    await client.say(question);
    const latency = await client.waitFor('latency', () => true, { after: before });
    const arrivedAt = client.player.arrivedAt.find((at) => at >= client.speechEndedAt);
    const tailMs = (quietEnd(question) * 1000) / 16_000;
    turns.push({ latency, seenMs: (arrivedAt ?? Number.NaN) - client.speechEndedAt + tailMs });
    await client.state('listening', latency.seq);
    await sleep(300);
  }
  client.hangUp();
  await client.closed();
  client.close();
  return turns;
}

async function interrupt(
  gateway: RunningGateway,
  agentId: string,
  story: Float32Array,
  interruption: Float32Array,
) {
  const client = new CallClient(await requestConnection(gateway, agentId));
  await client.connect();
  await client.state('listening');
  const triggerMs = await triggerOf(story, interruption, THRESHOLD);
  const onsetMs = (onsetOf(interruption) * 1000) / 16_000;
  const pauses = [];
  for (let i = 0; i < INTERRUPTIONS; i++) {
    const before = client.lastSeq;
    await client.say(story);
    const speaking = await client.state('speaking', before);
    await sleep(1_500);
    await client.say(interruption);
    const paused = await client.waitFor('pause', () => true, { after: speaking.seq });
    const afterMs = paused.atMs - client.speechStartedAt;
    pauses.push({ onsetToPause: afterMs - onsetMs, triggerToPause: afterMs - triggerMs });
    const answer = await client.state('speaking', paused.seq);
    await client.state('listening', answer.seq);
    await sleep(300);
  }
  client.hangUp();
  await client.closed();
  client.close();
  return pauses;
}

const quietEnd = (clip: Float32Array) => clip.length - 1 - clip.findLastIndex(isLoud);

/** Event loop delay since the start of the gateway. */
async function loopDelayMs({ url }: RunningGateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = /event_loop_delay_seconds\{quantile="0.99"\} (\S+)/.exec(text);
  return Number(found?.[1] ?? Number.NaN) * 1000;
}

function byKey<const Key extends string>(
  keys: readonly Key[],
  valuesOf: (key: Key) => readonly number[],
): Readonly<Record<Key, Percentiles>> {
  const entries = keys.map((key) => [key, percentilesOf(valuesOf(key))] as const);
  return Object.fromEntries(entries) as Record<Key, Percentiles>;
}

function print(
  figures: Figures,
  verdicts: readonly { name: string; ms: number; bar: number; isMet: boolean }[],
  machine: { readonly cpu: string; readonly cores: number; readonly load: number },
): void {
  console.log(`${machine.cpu}, ${machine.cores} cores, load ${machine.load.toFixed(1)}\n`);
  const line = (name: string, { p50, p95, max }: Percentiles) => {
    const cells = [p50, p95, max].map((ms) => `${ms.toFixed(0)} ms`.padStart(9)).join('');
    console.log(`${name.padEnd(28)}${cells}`);
  };
  console.log(`${''.padEnd(28)}${['p50', 'p95', 'max'].map((name) => name.padStart(9)).join('')}`);
  for (const part of PARTS) line(`turn: ${part}`, figures.turns[part]);
  line('turn: as the client sees it', figures.seenByClient);
  for (const [name, values] of Object.entries(figures.greeting)) line(`greeting: ${name}`, values);
  for (const [name, values] of Object.entries(figures.bargeIn)) line(`barge-in: ${name}`, values);
  console.log(`\nthe very first greeting: ${figures.firstGreetingMs.toFixed(0)} ms`);
  console.log(`event loop delay, p99: ${figures.eventLoopDelayP99Ms.toFixed(1)} ms`);
  for (const { name, ms, bar, isMet } of verdicts) {
    console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${ms.toFixed(0)} ms (bar ${bar} ms)`);
  }
}
