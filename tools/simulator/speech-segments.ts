/** Speech has a higher RMS: −46 dB, above line noise and below any voice. */
const SPEECH_RMS = 164;
/** Longest pause inside a segment. */
const MAX_PAUSE_MS = 400;

/** Speech between two pauses, ms. */
export interface SpeechSegment {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether a frame contains speech, by its RMS. */
export function isLoud(frame: Int16Array): boolean {
  let sum = 0;
  for (let i = 0; i < frame.length; i++) sum += frame[i]! * frame[i]!;
  return sum > SPEECH_RMS * SPEECH_RMS * frame.length;
}

/** The speech segments of a leg, in frames of 20 ms. Pauses up to `pauseMs` belong to a segment. */
export function speechSegmentsOf(
  pcm: Int16Array,
  sampleRate: number,
  pauseMs = MAX_PAUSE_MS,
): readonly SpeechSegment[] {
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

/** Both legs of a call, aligned sample by sample. */
export interface LegAudio {
  readonly caller: Int16Array;
  readonly agent: Int16Array;
  readonly sampleRate: number;
}

/** Response times of a call, ms. */
export interface CallTimes {
  /** From the start of the call to the agent's first audio; undefined without agent audio. */
  readonly firstAgentMs: number | undefined;
  /** From the end of each caller segment to the start of the agent's answer. */
  readonly latencyMs: readonly number[];
  /** From the start of each interruption by the caller to the end of the agent's audio. */
  readonly bargeInMs: readonly number[];
}

/** Measures latencies and interruptions in a recording. */
export function measureTimes({ caller, agent, sampleRate }: LegAudio): CallTimes {
  const callerSegments = speechSegmentsOf(caller, sampleRate);
  const agentSegments = speechSegmentsOf(agent, sampleRate);
  const latencyMs: number[] = [];
  const bargeInMs: number[] = [];
  for (const [i, { fromMs, toMs }] of callerSegments.entries()) {
    const over = agentSegments.find((agent) => agent.fromMs < fromMs && agent.toMs > fromMs);
    if (over) bargeInMs.push(over.toMs - fromMs);
    const nextMs = callerSegments[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const answer = agentSegments.find((agent) => agent.fromMs >= toMs);
    if (answer && answer.fromMs < nextMs) latencyMs.push(answer.fromMs - toMs);
  }
  return { firstAgentMs: agentSegments[0]?.fromMs, latencyMs, bargeInMs };
}
