import type { CallRow } from './calls.repository.js';
import type { CallTurnRow } from './turn-row.js';

/** The files in which a transcript can be had. */
export const TRANSCRIPT_FILES = {
  json: { name: 'transcript.json', type: 'application/json; charset=utf-8' },
  text: { name: 'transcript.txt', type: 'text/plain; charset=utf-8' },
} as const;
export type TranscriptFormat = keyof typeof TRANSCRIPT_FILES;

/** A call's turns as they were heard, in one of the formats. */
export function writeTranscript(
  call: CallRow,
  turns: readonly CallTurnRow[],
  format: TranscriptFormat,
): Buffer {
  return Buffer.from(format === 'json' ? asJson(call, turns) : asText(call, turns));
}

function asJson(call: CallRow, turns: readonly CallTurnRow[]): string {
  return JSON.stringify({
    call_id: call.call_id,
    agent_id: call.agent_id,
    agent_name: call.agent_name,
    started_at: call.started_at?.toISOString() ?? null,
    ended_at: call.ended_at?.toISOString() ?? null,
    turns: turns.map(({ index, role, text, cut, start_ms, end_ms, latency }) => ({
      index,
      role,
      text,
      cut,
      start_ms,
      end_ms,
      latency,
    })),
  });
}

/** `[00:12] Caller: …`; an em dash says that the agent was cut short there. */
function asText(call: CallRow, turns: readonly CallTurnRow[]): string {
  const lines = turns.map(({ role, text, cut, start_ms }) => {
    const who = role === 'user' ? 'Caller' : call.agent_name;
    return `[${clockTime(start_ms)}] ${who}: ${text}${cut ? ' —' : ''}\n`;
  });
  return lines.join('');
}

function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}
