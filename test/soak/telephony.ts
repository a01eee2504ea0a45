import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import { AudioSocketCall } from '../../tools/simulator/audiosocket-call.js';
import { registerAudioSocket } from '../../tools/simulator/gateway-client.js';
import type { SimulatedCall } from '../../tools/simulator/simulated-call.js';
import type { PlayoutHold } from '../../tools/simulator/simulated-leg.js';
import { TwilioCall } from '../../tools/simulator/twilio/twilio-call.js';
import { resampleToPcm } from '../../tools/simulator/wav-file.js';
import { makeAgent, synthesiseQuestion } from '../bench/bench-agent.js';
import { numberBehind } from '../bench/comparison.js';
import { type RunningGateway, startGateway } from '../bench/gateway.js';
import { decodeChannels } from '../support/harness/audio/decode-audio.js';
import { toneOnsets } from '../support/harness/audio/tone-onsets.js';
import { prepareTool } from '../support/harness/process/required-tools.js';

const ACCOUNT = { accountSid: 'AC0001', authToken: 'soak_auth_token' };
const ENV = {
  TWILIO_ACCOUNT_SID: ACCOUNT.accountSid,
  TWILIO_AUTH_TOKEN: ACCOUNT.authToken,
  TWILIO_BASE_URL: 'http://127.0.0.1:9',
  AUDIOSOCKET_PORT: '0',
};
const QUESTION = 'How much are twelve red roses?';
const AGENT = {
  greeting: 'Hello, this is the flower shop.',
  prompt: 'A bouquet of twelve red roses costs thirty dollars and includes a vase and a card.',
  max_call_duration_seconds: 4 * 3600,
};
/** Maximum difference between the recording and the carrier's audio, in milliseconds. */
const BAR_APART_MS = 20;
const BAR_LEAD_MS = 400;
const DRIFTS_PPM = [100, -100];
/** Jitter buffer of a phone behind an unbuffered carrier, in milliseconds. */
const HOLD_MS = 60;
/** Pause between two questions in milliseconds. */
const PAUSE_MS = 10_000;
/** Minimum silence between two separate texts. */
const APART_BY_MS = 1_500;
const LINE_RATE = 8_000;
const READY_WITHIN_S = 300;
/** Timeout for the carrier's webhooks after the end of a call. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/** A completed call with the carrier's audio of both legs. */
interface CompletedCall {
  readonly name: string;
  readonly call: SimulatedCall;
}

/**
 * `npm run soak -- telephony --minutes 30`: runs calls on both carrier protocols with carrier
 * clocks 100 ppm fast and slow. In the recording, the offset between the legs must match the
 * carrier's within 20 ms until the end, and at most 400 ms may be sent ahead.
 */
export async function run(args: readonly string[]): Promise<number> {
  const minutes = numberBehind(args, '--minutes', 30);
  const ffmpeg = prepareTool('ffmpeg');
  const gateway = await startGateway({ env: ENV });
  try {
    const question = await questionFor(gateway);
    const completedCalls = await Promise.all(
      DRIFTS_PPM.flatMap((driftPpm, i) => [
        twilioCall(gateway, driftPpm, `+1555000${i}`),
        audioSocketCall(gateway, driftPpm),
      ]),
    );
    await Promise.all(
      completedCalls.map(async ({ name, call }) => {
        await talk(call, question, minutes * 60_000).catch(async (error: unknown) => {
          const reason = await reasonOf(gateway, call.callId);
          throw new Error(`${name} did not run to its end (${reason})`, { cause: error });
        });
      }),
    );
    let isMet = true;
    for (const each of completedCalls) isMet = (await analyse(gateway, ffmpeg, each)) && isMet;
    return isMet ? 0 : 1;
  } finally {
    await gateway.close();
  }
}

async function questionFor(gateway: RunningGateway): Promise<Int16Array> {
  return resampleToPcm(await synthesiseQuestion(gateway, QUESTION), 16_000, LINE_RATE);
}

async function twilioCall(
  gateway: RunningGateway,
  driftPpm: number,
  to: string,
): Promise<CompletedCall> {
  await makeAgent(gateway, { ...AGENT, phone_number: to });
  const call = new TwilioCall({
    clock: systemClock,
    gatewayUrl: gateway.url,
    ...ACCOUNT,
    from: '+15550100',
    to,
    driftPpm,
  });
  return { name: `twilio, ${driftPpm} ppm`, call };
}

async function audioSocketCall(gateway: RunningGateway, driftPpm: number): Promise<CompletedCall> {
  const { call_id, uuid, port } = await registerAudioSocket(gateway, {
    agent_id: await makeAgent(gateway, AGENT),
  });
  const call = new AudioSocketCall({
    clock: systemClock,
    host: '127.0.0.1',
    port,
    uuid,
    callId: call_id,
    driftPpm,
    holdMs: HOLD_MS,
  });
  return { name: `audiosocket, ${driftPpm} ppm`, call };
}

/** Repeats a question until it is time to hang up. */
async function talk(call: SimulatedCall, question: Int16Array, forMs: number): Promise<void> {
  const { leg: line } = call;
  if ((await call.ring()) !== 'answered') throw new Error((await call.ended).how);
  await line.untilAgentIsSilent(0, APART_BY_MS);
  while (line.atMs < forMs) {
    const askedMs = line.atMs;
    line.say(question);
    await line.until(() => !line.isCallerSpeaking);
    if (!(await line.untilAgentIsSilent(line.callerLoudMs, APART_BY_MS))) {
      const at = `at ${(askedMs / 60_000).toFixed(1)} min`;
      const end = await Promise.race([call.ended, sleep(WEBHOOK_TIMEOUT_MS)]);
      if (end) throw new Error(`${at} the call ${call.callId} was over: the ${end.by} ${end.how}`);
      console.log(`${at}: was not answered`);
    }
    const nextMs = line.atMs + PAUSE_MS;
    await line.until(() => line.atMs >= nextMs, PAUSE_MS * 2);
  }
  call.hangUp();
  await call.ended;
}

async function reasonOf(gateway: RunningGateway, callId: string | undefined) {
  const { items } = await askHistory<{
    readonly items: readonly { readonly call_id: string; readonly ended_reason: string | null }[];
  }>(gateway, '?limit=100');
  return items.find((item) => item.call_id === callId)?.ended_reason ?? 'no reason';
}

async function analyse(
  gateway: RunningGateway,
  ffmpeg: string,
  { name, call }: CompletedCall,
): Promise<boolean> {
  const { leg: line, faults } = call;
  const [caller, agent] = await recordingOf(gateway, ffmpeg, call.callId ?? '');
  // The gateway does not know the phone's own jitter buffer. A carrier's buffer is reported by
  // marks.
  const holds = call instanceof AudioSocketCall ? line.holds : [];
  const gaps = gapsBetween(floatsOf(line.audio.caller), floatsOf(line.audio.agent), holds);
  const recorded = gapsBetween(caller!, agent!);
  const apart = gaps.map((gapMs, i) => (recorded[i] ?? Number.NaN) - gapMs);
  const [least, most] = [Math.min(...apart), Math.max(...apart)];
  const mostApart = Math.max(-least, most);
  const isMet =
    gaps.length > 0 &&
    mostApart <= BAR_APART_MS &&
    line.maxLeadMs <= BAR_LEAD_MS &&
    faults.length === 0;
  console.log(
    `${isMet ? 'met   ' : 'missed'} ${name}: ${(line.atMs / 60_000).toFixed(1)} min, ${gaps.length} answers, legs at most ${mostApart.toFixed(1)} ms apart (${least.toFixed(1)} to ${most.toFixed(1)}; bar ${BAR_APART_MS}), at most ${line.maxLeadMs.toFixed(0)} ms ahead (bar ${BAR_LEAD_MS})`,
  );
  for (const { code, what, atMs } of faults) console.log(`  at ${atMs} ms, ${code}: ${what}`);
  return isMet;
}

/**
 * Time from the start of each question to the start of the agent's next answer, in milliseconds.
 */
function gapsBetween(
  caller: Float32Array,
  agent: Float32Array,
  holds: readonly PlayoutHold[] = [],
): readonly number[] {
  const questionOnsets = toneOnsets(caller, LINE_RATE, 0, APART_BY_MS);
  const said = toneOnsets(agent, LINE_RATE, 0, APART_BY_MS);
  return questionOnsets.map((atMs) => {
    const saidMs = said.find((at) => at > atMs) ?? Number.NaN;
    const jitterBufferMs = holds.findLast((hold) => hold.atMs <= saidMs)?.heldMs ?? 0;
    return saidMs - jitterBufferMs - atMs;
  });
}

function floatsOf(pcm: Int16Array): Float32Array {
  return Float32Array.from(pcm, (sample) => sample / 32768);
}

async function recordingOf(gateway: RunningGateway, ffmpeg: string, callId: string) {
  // The gateway closed idle connections during the analysis, which must be noticed first.
  await sleep(1_000);
  for (let waited = 0; waited < READY_WITHIN_S; waited++) {
    const answer = await askHistory<{ readonly status: string; readonly url: string }>(
      gateway,
      `/${callId}/recording`,
    );
    if (answer.status === 'ready') {
      const file = Buffer.from(await (await fetch(answer.url)).arrayBuffer());
      return decodeChannels(ffmpeg, file, { channels: 2, sampleRate: LINE_RATE });
    }
    await sleep(1_000);
  }
  throw new Error(`The recording of ${callId} was not ready within ${READY_WITHIN_S} s`);
}

async function askHistory<T>({ url, key }: RunningGateway, path: string): Promise<T> {
  const headers = { authorization: `Bearer ${key}` };
  return (await (await fetch(`${url}/api/v1/agent/call-history${path}`, { headers })).json()) as T;
}
