import type { TurnLatency } from '../contract/call-log.js';

/** When the steps of making a reply happened, in clock ms; undefined: it had no such step, or not yet. */
export interface ReplyTimestamps {
  /** What the knowledge base has on it was found. */
  readonly knownAt: number | undefined;
  readonly firstTokenAt: number | undefined;
  /** The first words that make sense by themselves went to the voice. */
  readonly firstChunkAt: number | undefined;
  readonly firstAudioAt: number | undefined;
}

/** When the steps of ending one turn happened, in clock ms. */
export interface TurnTimestamps {
  /** The last sample of the caller's speech. */
  readonly speechEndAt: number;
  /** The turn could be committed … */
  readonly dueAt: number;
  /** … and was, once its transcript was there. */
  readonly committedAt: number;
}

/** The parts in the order of their steps; they are also the names on the wire and in the database. */
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
 * The turn's latency as a sum that adds up, in whole ms: each part is the time that its step added
 * after the one before, so work done ahead of the commit costs nothing.
 * @param audibleAt the agent's first sample as the client played it, clock ms.
 */
export function turnLatency(
  turn: number,
  { speechEndAt, dueAt, committedAt }: TurnTimestamps,
  reply: Partial<ReplyTimestamps>,
  audibleAt: number,
): TurnLatency {
  const total = Math.max(0, Math.round(audibleAt - speechEndAt));
  let at = 0;
  /** What is left of the way to a step, as far as it lies before the end. */
  const part = (mark: number | undefined) => {
    const before = at;
    if (mark !== undefined) at = Math.min(Math.max(at, Math.round(mark - speechEndAt)), total);
    return at - before;
  };
  return {
    turn,
    endpointing: part(dueAt),
    stt: part(committedAt),
    knowledge: part(reply.knownAt),
    llm: part(reply.firstTokenAt),
    chunk: part(reply.firstChunkAt),
    tts: part(reply.firstAudioAt),
    playout: part(audibleAt),
    total,
  };
}
