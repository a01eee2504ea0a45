import type { ProtocolViolation } from './protocol-violations.js';
import type { CallEnd, SimulatedCall } from './simulated-call.js';
import { type CallTimes, measureTimes } from './speech-segments.js';

/** The caller's behaviour. */
export interface CallerScript {
  /** Caller speech, at the leg's sample rate. */
  readonly speech: Int16Array;
  /** Whether the caller waits for the end of the greeting. */
  readonly afterGreeting: boolean;
  /** Keys to press, ms after the start of the call. */
  readonly keys: readonly { readonly atMs: number; readonly digits: string }[];
  /** Latest time to hang up, ms. Default: after both were silent for `lingerMs`. */
  readonly hangUpAtMs: number | undefined;
  readonly lingerMs: number;
}

/** The result of a call. */
export interface CallReport extends CallTimes {
  readonly callId: string | undefined;
  readonly wasAnswered: boolean;
  readonly end: CallEnd;
  readonly seconds: number;
  /** The largest amount of unplayed gateway audio, ms. */
  readonly mostLeadMs: number;
  readonly faults: readonly ProtocolViolation[];
}

/** Silence after which the greeting has ended. */
const GREETING_END_MS = 700;
/** For the greeting, and for the end of the call after the caller's speech. */
const TIMEOUT_MS = 60_000;

/** Runs a call to its end. @throws SimulateError if the call cannot be made */
export async function runScenario(call: SimulatedCall, script: CallerScript): Promise<CallReport> {
  const { leg: line } = call;
  const wasAnswered = (await call.ring()) === 'answered';
  if (wasAnswered) await Promise.all([press(call, script), speakAndHangUp(call, script)]);
  const end = await call.ended;
  const { caller, agent } = line.audio;
  return {
    callId: call.callId,
    wasAnswered,
    end,
    seconds: line.atMs / 1000,
    ...measureTimes({ caller, agent, sampleRate: line.sampleRate }),
    mostLeadMs: line.maxLeadMs,
    faults: call.faults,
  };
}

async function press(call: SimulatedCall, { keys }: CallerScript): Promise<void> {
  for (const { atMs, digits } of [...keys].sort((a, b) => a.atMs - b.atMs)) {
    const isReached = await call.leg.until(() => call.leg.atMs >= atMs, Number.POSITIVE_INFINITY);
    if (isReached) call.press(digits);
  }
}

async function speakAndHangUp(call: SimulatedCall, script: CallerScript): Promise<void> {
  const { leg: line } = call;
  const { hangUpAtMs = Number.POSITIVE_INFINITY } = script;
  const isLate = () => line.atMs >= hangUpAtMs;
  if (script.afterGreeting) {
    const hasGreeted = () => line.waitingMs === 0 && line.atMs - line.agentLoudMs > GREETING_END_MS;
    await line.until(() => isLate() || (line.agentLoudMs >= 0 && hasGreeted()), TIMEOUT_MS);
  }
  line.say(script.speech);
  const spoken = (script.speech.length / line.sampleRate) * 1000;
  const startedAtMs = line.atMs;
  const isDone = () => {
    const lastMs = Math.max(startedAtMs + spoken, line.agentLoudMs);
    return !line.isCallerSpeaking && line.waitingMs === 0 && line.atMs - lastMs >= script.lingerMs;
  };
  await line.until(() => isLate() || isDone(), spoken + TIMEOUT_MS);
  call.hangUp();
}
