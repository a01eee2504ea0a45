import type { TurnLatency } from '../contract/call-log.js';

/** When the steps of a reply's generation happened, in clock ms. Undefined: not, or not yet. */
export interface ReplyTimestamps {
  /** The knowledge base has been searched. */
  readonly retrievedAt: number | undefined;
  readonly firstTokenAt: number | undefined;
  /** The first chunk of text went to the voice. */
  readonly firstChunkAt: number | undefined;
  readonly firstAudioAt: number | undefined;
}

/** When the steps of a turn's end happened, in clock ms. */
export interface TurnTimestamps {
  /** The last sample of the caller's speech. */
  readonly speechEndAt: number;
  /** The endpointing delay was over. */
  readonly dueAt: number;
  /** The final transcript had arrived as well. */
  readonly committedAt: number;
}

/** The parts in the order of their steps. The client protocol and the database use these names. */
export const LATENCY_PARTS = [
  'endpointing',
  'stt',
  'knowledge',
  'llm',
  'chunk',
  'tts',
  'playout',
] as const;

/**
 * The turn's latency in whole ms. Each part is the time that its step added after the step before, so
 * work that was done before the commit counts as 0.
 * @param audibleAt - when the client played the agent's first sample, clock ms
 */
export function turnLatency(
  turn: number,
  { speechEndAt, dueAt, committedAt }: TurnTimestamps,
  reply: Partial<ReplyTimestamps>,
  audibleAt: number,
): TurnLatency {
  const total = Math.max(0, Math.round(audibleAt - speechEndAt));
  let at = 0;
  /** The time from the step before to this one, limited to the total. */
  const part = (mark: number | undefined) => {
    const before = at;
    if (mark !== undefined) at = Math.min(Math.max(at, Math.round(mark - speechEndAt)), total);
    return at - before;
  };
  return {
    turn,
    endpointing: part(dueAt),
    stt: part(committedAt),
    knowledge: part(reply.retrievedAt),
    llm: part(reply.firstTokenAt),
    chunk: part(reply.firstChunkAt),
    tts: part(reply.firstAudioAt),
    playout: part(audibleAt),
    total,
  };
}
