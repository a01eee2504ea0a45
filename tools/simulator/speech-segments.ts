/** Louder than this is somebody who speaks, −46 dB: above the noise of a line, below any voice. */
const LOUD = 164;
/** A pause inside speech is shorter. */
const PAUSE_MS = 400;

/** Speech between two pauses, ms. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Root mean square above the level of a quiet line. */
export function isLoud(frame: Int16Array): boolean {
  let sum = 0;
  for (let i = 0; i < frame.length; i++) sum += frame[i]! * frame[i]!;
  return sum > LOUD * LOUD * frame.length;
}

/** Where a leg holds speech, in frames of 20 ms; pauses up to `pauseMs` belong to it. */
export function stretchesOf(
  pcm: Int16Array,
  sampleRate: number,
  pauseMs = PAUSE_MS,
): readonly Stretch[] {
  const frame = sampleRate / 50;
  const found: { fromMs: number; toMs: number }[] = [];
  for (let i = 0; (i + 1) * frame <= pcm.length; i++) {
    if (!isLoud(pcm.subarray(i * frame, (i + 1) * frame))) continue;
    const last = found.at(-1);
    if (last && i * 20 - last.toMs <= pauseMs) last.toMs = (i + 1) * 20;
    else found.push({ fromMs: i * 20, toMs: (i + 1) * 20 });
  }
  return found;
}

/** Both legs of a call, sample for sample at the same time. */
export interface Legs {
  readonly caller: Int16Array;
  readonly agent: Int16Array;
  readonly sampleRate: number;
}

/** What a caller has waited for, ms. */
export interface CallTimes {
  /** From the call's beginning to the agent's first sound; undefined if there was none. */
  readonly firstAgentMs: number | undefined;
  /** From the end of each thing that the caller said to the first of the agent's answer. */
  readonly latencyMs: readonly number[];
  /** From where the caller began to speak while the agent did to the agent's last sound. */
  readonly bargeInMs: readonly number[];
}

/** Reads latencies and interruptions off a recording, as a person would who looks at it. */
export function timesOf({ caller, agent, sampleRate }: Legs): CallTimes {
  const said = stretchesOf(caller, sampleRate);
  const heard = stretchesOf(agent, sampleRate);
  const latencyMs: number[] = [];
  const bargeInMs: number[] = [];
  for (const [i, { fromMs, toMs }] of said.entries()) {
    const over = heard.find((agents) => agents.fromMs < fromMs && agents.toMs > fromMs);
    if (over) bargeInMs.push(over.toMs - fromMs);
    const nextMs = said[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const answer = heard.find((agents) => agents.fromMs >= toMs);
    if (answer && answer.fromMs < nextMs) latencyMs.push(answer.fromMs - toMs);
  }
  return { firstAgentMs: heard[0]?.fromMs, latencyMs, bargeInMs };
}
