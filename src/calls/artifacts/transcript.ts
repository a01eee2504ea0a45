import type { TurnLatency } from '../../../agents-runtime/contract/call-log.js';
import { LATENCY_PARTS } from '../../../agents-runtime/session/turn-latency.js';
import type { CallRow } from '../store/call.model.js';
import { type CallTurnRow, parseArguments } from '../store/turn.model.js';
import { cueOf, SRT, VTT } from './subtitles.js';
import { speakerName, transcriptLine } from './transcript-line.js';

/** The formats of transcripts. */
export const TRANSCRIPT_FILES = {
  json: { name: 'transcript.json', type: 'application/json; charset=utf-8' },
  text: { name: 'transcript.txt', type: 'text/plain; charset=utf-8' },
  vtt: { name: 'transcript.vtt', type: 'text/vtt; charset=utf-8' },
  srt: { name: 'transcript.srt', type: 'application/x-subrip; charset=utf-8' },
} as const;
export type TranscriptFormat = keyof typeof TRANSCRIPT_FILES;

/** Subtitles must be in the order of their times. */
export const TURN_ORDERS: Readonly<Record<TranscriptFormat, 'index' | 'start_ms'>> = {
  json: 'index',
  text: 'index',
  vtt: 'start_ms',
  srt: 'start_ms',
};

/** Maximum length of a transcript, bytes. A call of several hours has some hundred kilobytes. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Writes one file turn by turn. */
interface Writer {
  readonly head: string;
  turn(turn: CallTurnRow, at: number): string;
  foot(isComplete: boolean): string;
}

/**
 * Writes a call's turns. A transcript of more than 32 MiB is truncated.
 * @param pages - the turns in the format's order
 * @returns undefined if there are no turns
 */
export async function writeTranscript(
  call: CallRow,
  pages: AsyncIterable<readonly CallTurnRow[]>,
  format: TranscriptFormat,
): Promise<Buffer | undefined> {
  const writer = WRITERS[format](call);
  const parts = [Buffer.from(writer.head)];
  let bytes = 0;
  let turns = 0;
  for await (const page of pages) {
    const text = page.map((turn) => writer.turn(turn, turns++)).join('');
    const part = Buffer.from(text);
    bytes += part.length;
    if (bytes > MAX_BYTES) break;
    parts.push(part);
  }
  if (turns === 0) return undefined;
  parts.push(Buffer.from(writer.foot(bytes <= MAX_BYTES)));
  return Buffer.concat(parts);
}

const WRITERS: Readonly<Record<TranscriptFormat, (call: CallRow) => Writer>> = {
  json: jsonWriter,
  text: (call) => ({ head: '', turn: (turn) => transcriptLine(call, turn), foot: () => '' }),
  vtt: (call) => ({
    head: 'WEBVTT\n\n',
    turn: (turn, at) => cueOf(VTT, call, turn, at),
    foot: () => '',
  }),
  srt: (call) => ({ head: '', turn: (turn, at) => cueOf(SRT, call, turn, at), foot: () => '' }),
};

/** The summary follows the turns, so that the file is written in one pass. */
function jsonWriter(call: CallRow): Writer {
  const latencies: TurnLatency[] = [];
  const inboundCallError = call.options.inbound_call_error;
  const about = {
    call_id: call.call_id,
    agent_id: call.agent_id,
    agent_name: call.agent_name,
    call_type: call.call_type,
    started_at: call.started_at?.toISOString() ?? null,
    ended_at: call.ended_at?.toISOString() ?? null,
    ended_reason: call.ended_reason,
    // Set if the inbound_call webhook of a telephone call failed.
    ...(inboundCallError && { inbound_call_error: inboundCallError }),
  };
  return {
    head: `${JSON.stringify(about).slice(0, -1)},"turns":[`,
    turn(turn, at) {
      if (turn.latency) latencies.push(turn.latency);
      return (at > 0 ? ',' : '') + JSON.stringify(toJsonTurn(call, turn));
    },
    foot: (isComplete) =>
      `],${JSON.stringify({ latency: latencySummary(latencies), is_complete: isComplete }).slice(1)}`,
  };
}

function toJsonTurn(call: CallRow, turn: CallTurnRow) {
  const { index, role, text, cut, start_ms, end_ms, latency } = turn;
  return {
    index,
    role,
    speaker: speakerName(call, role),
    text,
    cut,
    start_ms,
    end_ms,
    latency,
    tools: (turn.tools ?? []).map((tool) => ({
      ...tool,
      arguments: parseArguments(tool.arguments),
    })),
    sources: turn.sources ?? [],
    providers: turn.providers ?? {},
  };
}

/** For answered turns: median and maximum of the total, and the mean of each part. The means of the parts add up to that of the total. */
function latencySummary(latencies: readonly TurnLatency[]) {
  if (latencies.length === 0) return null;
  const totals = latencies.map(({ total }) => total).sort((a, b) => a - b);
  const mean = (of: (latency: TurnLatency) => number) =>
    Math.round(latencies.reduce((sum, latency) => sum + of(latency), 0) / latencies.length);
  return {
    turns: latencies.length,
    p50_ms: totals[Math.ceil(totals.length / 2) - 1]!,
    max_ms: totals.at(-1)!,
    mean_ms: {
      ...Object.fromEntries(LATENCY_PARTS.map((part) => [part, mean((one) => one[part])])),
      total: mean(({ total }) => total),
    },
  };
}
