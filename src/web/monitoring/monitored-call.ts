import type { TranscriptLine } from '../call/transcript.js';
import type { StreamEvent } from './sse-parser.js';

/** The state of a monitored call. */
export interface MonitoredCall {
  readonly state: string;
  /** Why it ended; undefined while it runs. */
  readonly reason: string | undefined;
  /** Stored turns by index. */
  readonly turns: readonly (TranscriptLine & { readonly index: number })[];
  /** Spoken lines that are not stored yet. */
  readonly spoken: readonly TranscriptLine[];
}

export const UNKNOWN_CALL: MonitoredCall = {
  state: 'connecting',
  reason: undefined,
  turns: [],
  spoken: [],
};

interface Turn {
  readonly index: number;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly cut: boolean;
}
interface Said {
  readonly segment: string;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly final: boolean;
}

/** Applies an event of the stream. */
export function applyEvent(call: MonitoredCall, { type, data }: StreamEvent): MonitoredCall {
  switch (type) {
    case 'call': // its turns follow
      return { ...call, state: (data as { state: string }).state, spoken: [] };
    case 'state':
      return { ...call, state: (data as { state: string }).state };
    case 'transcript':
      return { ...call, spoken: afterSaid(call.spoken, data as Said) };
    case 'turn':
      return afterTurn(call, data as Turn);
    case 'ended':
      return { ...call, state: 'ended', reason: (data as { reason: string }).reason };
    default:
      return call;
  }
}

/** The stored turns, then the spoken lines. */
export function monitoredLines({ turns, spoken }: MonitoredCall): readonly TranscriptLine[] {
  return [...turns, ...spoken];
}

function afterSaid(
  lines: readonly TranscriptLine[],
  { segment, role, text, final }: Said,
): readonly TranscriptLine[] {
  const others = lines.filter((line) => line.segment !== segment);
  if (text === '') return final ? others : lines;
  const line = { segment, role, text, isFinal: final };
  if (others.length === lines.length) return [...lines, line];
  return lines.map((known) => (known.segment === segment ? line : known));
}

/** Replaces the spoken line by its stored turn. */
function afterTurn(call: MonitoredCall, { index, role, text, cut }: Turn): MonitoredCall {
  const shown = cut ? `${text} —` : text;
  const turn = { index, segment: `t${index}`, role, text: shown, isFinal: true };
  const turns = [...call.turns.filter((known) => known.index !== index), turn];
  const spokenLine = call.spoken.find(
    (line) => line.isFinal && line.role === role && line.text === text,
  );
  return {
    ...call,
    turns: turns.sort((left, right) => left.index - right.index),
    spoken: call.spoken.filter((line) => line !== spokenLine),
  };
}
