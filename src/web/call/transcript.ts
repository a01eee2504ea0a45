import type { CallEvent } from '../../../agents-runtime/contract/transport.js';

type TranscriptEvent = Extract<CallEvent, { type: 'transcript' }>;
type LatencyEvent = Extract<CallEvent, { type: 'latency' }>;

/** What one side said, as far as it is known. */
export interface Line {
  readonly segment: string;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly isFinal: boolean;
  /** How long the agent took to answer with this line. */
  readonly latency?: LatencySum;
}

/** One part of a turn's latency. */
interface LatencyPart {
  readonly name: string;
  readonly ms: number;
}

/** A turn's latency in whole ms; the parts add up to the total. */
interface LatencySum {
  readonly totalMs: number;
  readonly parts: readonly LatencyPart[];
}

/** The transcript after one more event: lines keep their place, a final without words takes its line away. */
export function afterTranscript(lines: readonly Line[], event: TranscriptEvent): readonly Line[] {
  const { segment, role, text, final } = event;
  if (text === '') return final ? lines.filter((line) => line.segment !== segment) : lines;
  const known = lines.find((line) => line.segment === segment);
  if (!known) return [...lines, { segment, role, text, isFinal: final }];
  if (known.isFinal && !final) return lines; // an interim that comes late brings nothing new
  return lines.map((line) => (line === known ? { ...line, text, isFinal: final } : line));
}

/** The transcript once a turn's latency is known: the answer that it is about is the agent's newest line. */
export function afterLatency(lines: readonly Line[], event: LatencyEvent): readonly Line[] {
  const answer = lines.findLast(({ role }) => role === 'agent');
  if (!answer) return lines;
  const latency = latencySum(event);
  return lines.map((line) => (line === answer ? { ...line, latency } : line));
}

const PARTS = [
  ['end of turn', 'endpointing'],
  ['transcript', 'stt'],
  ['knowledge', 'knowledge'],
  ['model', 'llm'],
  ['first words', 'chunk'],
  ['voice', 'tts'],
  ['playout', 'playout'],
] as const;

/** Rounds the running sum, not each part, so that what is shown still adds up. */
function latencySum(event: LatencyEvent): LatencySum {
  let sum = 0;
  const parts = PARTS.map(([name, key]) => {
    const before = Math.round(sum);
    sum += event[key];
    return { name, ms: Math.round(sum) - before };
  });
  return { totalMs: Math.round(sum), parts };
}
