import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { cough } from '../support/corpora/spoken-questions.js';
import { SpeechSynthesiser } from '../support/harness/audio/synthesised-speech.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Percentiles, percentilesOf } from '../support/harness/endpointing/percentiles.js';
import { makeAgent, requestConnection } from './bench-agent.js';
import { onsetOf, triggerOf } from './caller-speech.js';
import { machineNow, numberBehind } from './comparison.js';
import { type RunningGateway, startGateway } from './gateway.js';

const INSTANT = fileURLToPath(new URL('./density/instant-gateway.js', import.meta.url));
const AGENT = {
  greeting: '',
  prompt: 'Twelve red roses cost thirty dollars, with a vase.',
  vad_activation_threshold: 0.5,
};
const QUESTION = 'How much are twelve red roses?';
const INTERRUPTION = 'Stop, please, I have another question.';
const TURNS = 200;
const CALLS = 8;
/** One of five answers is interrupted, and one of five is overlapped by a cough. */
const EVERY = 5;
/** Time of the interruption in the answer, in milliseconds. */
const INTERRUPT_AFTER_MS = 1_000;
/** Timeout for the detection of an interruption. */
const PAUSE_WITHIN_MS = 3_000;
/** Duration of the client's fade after `pause`, in milliseconds. */
const FADE_MS = 40;
/** Upper limits in milliseconds. */
const BARS = {
  ownP50: 40,
  ownP99: 120,
  triggerToSilence: 80,
  onsetToSilenceP50: 240,
  onsetToSilenceP95: 350,
};

interface Clips {
  readonly question: Float32Array;
  readonly interruption: Float32Array;
  /** Positions in the interruption in ms: onset of loud audio, and detection by the VAD. */
  readonly onsetMs: number;
  readonly triggerMs: number;
}

interface Measured {
  /**
   * Latency of each turn without the endpointing delay: as the providers are instant, the gateway's
   * own.
   */
  readonly own: number[];
  readonly total: number[];
  readonly onsetToSilence: number[];
  readonly triggerToSilence: number[];
  /** Samples lost or repeated when resuming after a cough. */
  readonly resumeErrors: number[];
  /** Interruptions and coughs at which the agent did not pause. */
  missedInterruptions: number;
}

/**
 * Measures turns, interruptions and coughs in several concurrent calls with instant providers, a
 * real VAD and a real turn model: the gateway's own latency. `--turns N`, `--json`.
 */
export async function run(args: readonly string[]): Promise<number> {
  const turns = numberBehind(args, '--turns', TURNS);
  const clips = await spokenClips();
  const gateway = await startGateway({ program: [INSTANT] });
  try {
    const agentId = await makeAgent(gateway, AGENT);
    const measured: Measured = {
      own: [],
      total: [],
      onsetToSilence: [],
      triggerToSilence: [],
      resumeErrors: [],
      missedInterruptions: 0,
    };
    const calls = Math.min(CALLS, turns);
    await Promise.all(
      Array.from({ length: calls }, async (_, i) => {
        await sleep(i * 700);
        const share = Math.floor(turns / calls) + (i < turns % calls ? 1 : 0);
        await converse(gateway, agentId, { turns: share, clips, measured });
      }),
    );
    return report(measured, args.includes('--json'));
  } finally {
    await gateway.close();
  }
}

interface Talk {
  readonly turns: number;
  readonly clips: Clips;
  readonly measured: Measured;
}

async function converse(
  gateway: RunningGateway,
  agentId: string,
  { turns, clips, measured }: Talk,
): Promise<void> {
  const client = new CallClient(await requestConnection(gateway, agentId));
  await client.connect();
  for (let turn = 0; turn < turns; turn++) {
    await sleep(400);
    const before = client.lastSeq;
    await client.say(clips.question);
    const { total, endpointing } = await client.waitFor('latency', undefined, { after: before });
    measured.total.push(total);
    measured.own.push(total - endpointing);
    const { seq } = await client.state('speaking', before);
    if (turn % EVERY === 1) await interrupt(client, seq, clips, measured);
    if (turn % EVERY === 3) await coughAt(client, seq, measured);
    await quiet(client);
  }
  measured.resumeErrors.push(...client.player.resumeErrors.map(Math.abs));
  client.hangUp();
  await client.closed();
  client.close();
}

async function interrupt(client: CallClient, after: number, clips: Clips, measured: Measured) {
  await sleep(INTERRUPT_AFTER_MS);
  await client.say(clips.interruption);
  const atMs = await pauseAt(client, after);
  if (atMs === undefined) {
    measured.missedInterruptions++;
    return;
  }
  const silentMs = atMs + FADE_MS - client.speechStartedAt;
  measured.onsetToSilence.push(silentMs - clips.onsetMs);
  measured.triggerToSilence.push(silentMs - clips.triggerMs);
}

/** The agent pauses, the recogniser returns no words, and the agent resumes. */
async function coughAt(client: CallClient, after: number, measured: Measured): Promise<void> {
  await sleep(INTERRUPT_AFTER_MS);
  await client.say(cough());
  if ((await pauseAt(client, after)) === undefined) measured.missedInterruptions++;
  else await client.waitFor('resume', undefined, { after });
}

/** Time of the pause; undefined if there was none. */
async function pauseAt(client: CallClient, after: number): Promise<number | undefined> {
  for (const until = performance.now() + PAUSE_WITHIN_MS; performance.now() < until; ) {
    const paused = client.messages.find(({ message: { type, seq } }) => {
      return type === 'pause' && seq > after;
    });
    if (paused) return paused.atMs;
    await sleep(5);
  }
  return undefined;
}

/** Waits until the agent has been listening for a while. */
async function quiet(client: CallClient): Promise<void> {
  for (let last = -1; last !== client.lastSeq; ) {
    last = client.lastSeq;
    await sleep(600);
    if (client.states.at(-1) !== 'listening') last = -1;
  }
}

async function spokenClips(): Promise<Clips> {
  const speaker = new SpeechSynthesiser(new CpuScheduler(1));
  try {
    const question = await speaker.say(QUESTION);
    const interruption = await speaker.say(INTERRUPTION);
    return {
      question,
      interruption,
      onsetMs: (onsetOf(interruption) * 1000) / 16_000,
      triggerMs: await triggerOf(question, interruption, AGENT.vad_activation_threshold),
    };
  } finally {
    await speaker.close();
  }
}

function report(measured: Measured, asJson: boolean): number {
  const own = percentilesOf(measured.own);
  const trigger = percentilesOf(measured.triggerToSilence);
  const onset = percentilesOf(measured.onsetToSilence);
  const lost = Math.max(0, ...measured.resumeErrors);
  const verdicts = [
    verdict('own share p50, ms', own.p50, BARS.ownP50),
    verdict('own share p99, ms', own.p99, BARS.ownP99),
    verdict('VAD trigger to silence p95, ms', trigger.p95, BARS.triggerToSilence),
    verdict('speech onset to silence p50, ms', onset.p50, BARS.onsetToSilenceP50),
    verdict('speech onset to silence p95, ms', onset.p95, BARS.onsetToSilenceP95),
    verdict('samples lost or repeated by a resume', lost, 0),
    verdict('interruptions not heard', measured.missedInterruptions, 0),
  ];
  const figures: Readonly<Record<string, Percentiles>> = {
    own,
    total: percentilesOf(measured.total),
    onsetToSilence: onset,
    triggerToSilence: trigger,
  };
  const resumes = measured.resumeErrors.length;
  if (asJson) {
    console.log(
      JSON.stringify({ machine: machineNow(), figures, resumes, verdicts }, undefined, 2),
    );
  } else {
    for (const [name, { count, p50, p95, p99, max }] of Object.entries(figures)) {
      const cells = [p50, p95, p99, max].map((ms) => ms.toFixed(0).padStart(7)).join('');
      console.log(`${name.padEnd(20)} ${String(count).padStart(4)} × ${cells} ms`);
    }
    for (const { name, figure, bar, isMet } of verdicts) {
      console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${figure.toFixed(0)} (bar ${bar})`);
    }
  }
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

function verdict(name: string, figure: number, bar: number) {
  return { name, figure, bar, isMet: figure <= bar };
}
