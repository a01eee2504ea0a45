import type { TurnLatency } from './call-log.js';

/** When the steps of one turn happened, in clock ms; a step that needed no time of its own lies before the one before. */
export interface TurnMarks {
  /** The last sample of the caller's speech. */
  readonly zeroAt: number;
  /** The turn could be committed … */
  readonly dueAt: number;
  /** … and was, once its transcript was there. */
  readonly committedAt: number;
  firstTokenAt?: number;
  firstAudioAt?: number;
}

/**
 * The turn's latency as a sum that adds up: each part is the time that its step added after the one
 * before, so work done ahead of the commit costs nothing.
 * @param audibleAt the agent's first sample as the client played it, clock ms.
 */
export function turnLatency(turn: number, marks: TurnMarks, audibleAt: number): TurnLatency {
  let at = marks.zeroAt;
  const part = (mark: number | undefined) => {
    const before = at;
    at = Math.min(Math.max(before, mark ?? before), audibleAt);
    return Math.max(0, at - before);
  };
  const endpointing = part(marks.dueAt);
  const stt = part(marks.committedAt);
  const llm = part(marks.firstTokenAt);
  const tts = part(marks.firstAudioAt);
  const playout = part(audibleAt);
  return {
    turn,
    endpointing,
    stt,
    llm,
    tts,
    playout,
    total: Math.max(0, audibleAt - marks.zeroAt),
  };
}
