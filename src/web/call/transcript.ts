import type { CallEvent } from '../../../agents-runtime/contract/transport.js';

type TranscriptEvent = Extract<CallEvent, { type: 'transcript' }>;
type LatencyEvent = Extract<CallEvent, { type: 'latency' }>;

/** One line of a transcript. */
export interface TranscriptLine {
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

/** Applies an event to a transcript. A final event without words removes its line. */
export function applyTranscript(
  lines: readonly TranscriptLine[],
  event: TranscriptEvent,
): readonly TranscriptLine[] {
  const { segment, role, text, final } = event;
  if (text === '') return final ? lines.filter((line) => line.segment !== segment) : lines;
  const known = lines.find((line) => line.segment === segment);
  if (!known) return [...lines, { segment, role, text, isFinal: final }];
  if (known.isFinal && !final) return lines; // ignores a late interim result
  return lines.map((line) => (line === known ? { ...line, text, isFinal: final } : line));
}

/** Adds a turn's latency to the agent's newest line. */
export function applyLatency(
  lines: readonly TranscriptLine[],
  event: LatencyEvent,
): readonly TranscriptLine[] {
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

/** Rounds the running sum, so that the rounded parts add up. */
function latencySum(event: LatencyEvent): LatencySum {
  let sum = 0;
  const parts = PARTS.map(([name, key]) => {
    const before = Math.round(sum);
    sum += event[key];
    return { name, ms: Math.round(sum) - before };
  });
  return { totalMs: Math.round(sum), parts };
}
