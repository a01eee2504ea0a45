import type { CallRow } from '../store/call.model.js';
import type { CallTurnRow, StoredTool } from '../store/turn.model.js';

type NamedCall = Pick<CallRow, 'agent_name'>;

/** The speaker's name in transcripts. */
export function speakerName(call: NamedCall, role: CallTurnRow['role']): string {
  return role === 'user' ? 'Caller' : oneLine(call.agent_name);
}

/** The text on one line. An em dash marks where the agent was interrupted. */
export function utteranceText({ text, cut }: Pick<CallTurnRow, 'text' | 'cut'>): string {
  return oneLine(text) + (cut ? ' —' : '');
}

/** `[00:12] Caller: …`, and a line for each tool, such as `[00:13] (order_status: ok, 240 ms)`. */
export function transcriptLine(call: NamedCall, turn: CallTurnRow): string {
  const spoken = `[${clockTime(turn.start_ms)}] ${speakerName(call, turn.role)}: ${utteranceText(turn)}\n`;
  const { tools } = turn;
  if (!tools) return spoken;
  const before = tools.filter(({ started_ms }) => started_ms < turn.start_ms);
  const after = tools.filter(({ started_ms }) => started_ms >= turn.start_ms);
  return [...before.map(toolLine), spoken, ...after.map(toolLine)].join('');
}

function toolLine({ name, outcome, started_ms, duration_ms }: StoredTool): string {
  return `[${clockTime(started_ms)}] (${oneLine(name)}: ${outcome}, ${duration_ms} ms)\n`;
}

/** Without line breaks, a turn cannot fake the line of another speaker. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}
