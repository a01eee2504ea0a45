import type { Line } from '../call/transcript.js';
import type { StreamEvent } from './sse-parser.js';

/** A call as who watches it sees it. */
export interface MonitoredCall {
  readonly state: string;
  /** Why it ended; undefined while it runs. */
  readonly reason: string | undefined;
  /** What is written down, by its place in the talk. */
  readonly turns: readonly (Line & { readonly index: number })[];
  /** What is being said, or has been said and is not written down yet. */
  readonly spoken: readonly Line[];
}

export const UNKNOWN: MonitoredCall = {
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

/** The call after one more event of its stream. */
export function afterEvent(call: MonitoredCall, { type, data }: StreamEvent): MonitoredCall {
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

/** What is written down, then what is being said. */
export function linesOf({ turns, spoken }: MonitoredCall): readonly Line[] {
  return [...turns, ...spoken];
}

function afterSaid(lines: readonly Line[], { segment, role, text, final }: Said): readonly Line[] {
  const others = lines.filter((line) => line.segment !== segment);
  if (text === '') return final ? others : lines;
  const line = { segment, role, text, isFinal: final };
  if (others.length === lines.length) return [...lines, line];
  return lines.map((known) => (known.segment === segment ? line : known));
}

/** A turn takes the place of the line that it was told as before. */
function afterTurn(call: MonitoredCall, { index, role, text, cut }: Turn): MonitoredCall {
  const shown = cut ? `${text} —` : text;
  const turn = { index, segment: `t${index}`, role, text: shown, isFinal: true };
  const turns = [...call.turns.filter((known) => known.index !== index), turn];
  const told = call.spoken.find((line) => line.isFinal && line.role === role && line.text === text);
  return {
    ...call,
    turns: turns.sort((left, right) => left.index - right.index),
    spoken: call.spoken.filter((line) => line !== told),
  };
}
