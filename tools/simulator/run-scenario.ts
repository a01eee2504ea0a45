import type { ProtocolViolation } from './protocol-violations.js';
import type { CallEnd, SimulatedCall } from './simulated-call.js';
import { type CallTimes, timesOf } from './speech-segments.js';

/** What the caller does. */
export interface CallerScript {
  /** What the caller says, at the line's rate. */
  readonly speech: Int16Array;
  /** Hears the agent out before the first word. */
  readonly afterGreeting: boolean;
  /** Keys, and when they are pressed, ms from the call's beginning. */
  readonly keys: readonly { readonly atMs: number; readonly digits: string }[];
  /** Hangs up then at the latest, ms; by default when both have been silent for `lingerMs`. */
  readonly hangUpAtMs: number | undefined;
  readonly lingerMs: number;
}

/** What became of a call. */
export interface CallReport extends CallTimes {
  readonly callId: string | undefined;
  readonly wasAnswered: boolean;
  readonly end: CallEnd;
  readonly seconds: number;
  /** The most that the gateway sent ahead, ms. */
  readonly mostLeadMs: number;
  readonly faults: readonly ProtocolViolation[];
}

/** The end of the greeting, and of everything else that an agent says. */
const HEARD_OUT_MS = 700;
/** No greeting takes longer to come, and no call of a file longer than this beyond the file. */
const PATIENCE_MS = 60_000;

/** Holds a call by its script, to its end. @throws SimulateError where there is no call to be had */
export async function conduct(call: SimulatedCall, script: CallerScript): Promise<CallReport> {
  const { line } = call;
  const wasAnswered = (await call.ring()) === 'answered';
  if (wasAnswered) await Promise.all([press(call, script), speakAndHangUp(call, script)]);
  const end = await call.ended;
  const { caller, agent } = line.sound;
  return {
    callId: call.callId,
    wasAnswered,
    end,
    seconds: line.atMs / 1000,
    ...timesOf({ caller, agent, sampleRate: line.sampleRate }),
    mostLeadMs: line.mostLeadMs,
    faults: call.faults,
  };
}

async function press(call: SimulatedCall, { keys }: CallerScript): Promise<void> {
  for (const { atMs, digits } of [...keys].sort((a, b) => a.atMs - b.atMs)) {
    const isThere = await call.line.until(() => call.line.atMs >= atMs, Number.POSITIVE_INFINITY);
    if (isThere) call.press(digits);
  }
}

async function speakAndHangUp(call: SimulatedCall, script: CallerScript): Promise<void> {
  const { line } = call;
  const { hangUpAtMs = Number.POSITIVE_INFINITY } = script;
  const isLate = () => line.atMs >= hangUpAtMs;
  if (script.afterGreeting) {
    const isHeardOut = () => line.waitingMs === 0 && line.atMs - line.agentLoudMs > HEARD_OUT_MS;
    await line.until(() => isLate() || (line.agentLoudMs >= 0 && isHeardOut()), PATIENCE_MS);
  }
  line.say(script.speech);
  const spoken = (script.speech.length / line.sampleRate) * 1000;
  const beganAt = line.atMs;
  const isDone = () => {
    const lastMs = Math.max(beganAt + spoken, line.agentLoudMs);
    return !line.isCallerSpeaking && line.waitingMs === 0 && line.atMs - lastMs >= script.lingerMs;
  };
  await line.until(() => isLate() || isDone(), spoken + PATIENCE_MS);
  call.hangUp();
}
