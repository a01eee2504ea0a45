import type { TurnProviders } from '../contract/call-log.js';
import type { KnowledgeSource } from '../contract/knowledge.js';
import type { ReplyTimestamps } from './turn-latency.js';

/** What the agent says, or is about to: its making, and what is known of it so far. */
export interface PreparedReply {
  readonly utterance: number;
  /** What it answers; the same again needs no making. */
  readonly key: string;
  readonly work: AbortController;
  readonly marks: { -readonly [Mark in keyof ReplyTimestamps]: ReplyTimestamps[Mark] };
  /** Lets tools run. */
  readonly commit: () => void;
  isToolRunning: boolean;
  sources: readonly KnowledgeSource[];
  readonly models: Set<string>;
  readonly voices: Set<string>;
}

export function preparedReply(utterance: number, key: string, commit: () => void): PreparedReply {
  return {
    utterance,
    key,
    work: new AbortController(),
    marks: {
      knownAt: undefined,
      firstTokenAt: undefined,
      firstChunkAt: undefined,
      firstAudioAt: undefined,
    },
    commit,
    isToolRunning: false,
    sources: [],
    models: new Set(),
    voices: new Set(),
  };
}

/** Who wrote and who spoke it, as far as it is made. */
export function providersOf({ models, voices }: PreparedReply): TurnProviders {
  return {
    ...(models.size > 0 && { models: [...models] }),
    ...(voices.size > 0 && { voices: [...voices] }),
  };
}
