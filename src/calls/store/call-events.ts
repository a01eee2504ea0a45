import type { LoggedTool, LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { WebhookEvent } from '../../features/webhooks/webhook-events.js';
import type { CallRow } from './call.model.js';
import { parseArguments } from './turn.model.js';

/** Media is connected. */
export function callStarted(call: CallRow): WebhookEvent {
  return callEvent(call, 'call.started', {
    started_at: call.started_at?.toISOString(),
    ...numbers(call),
  });
}

/**
 * The end of a call: `call.completed` for each that had begun, whatever its reason, and before it
 * (or alone) `call.failed` for one that an error ended.
 */
export function callEnded(call: CallRow): readonly WebhookEvent[] {
  const { started_at: start, ended_at: end, ended_reason } = call;
  const ended = {
    duration_seconds: start && end ? (end.getTime() - start.getTime()) / 1_000 : 0,
    credits_used: Number(call.credits_used),
    transcript_uri: null,
    transcript_summary: null,
    ...numbers(call),
    ended_reason,
    ...(call.options.dial_status !== undefined && { dial_status: call.options.dial_status }),
  };
  const createEvent = (event: WebhookEvent['event']) => ({
    ...callEvent(call, event, ended),
    hasTranscript: call.has_transcript,
  });
  return [
    ...(ended_reason?.startsWith('error_') ? [createEvent('call.failed')] : []),
    ...(start ? [createEvent('call.completed')] : []),
  ];
}

/** A call's recording can be fetched. */
export function recordingReady(call: CallRow, durationMs: number): WebhookEvent {
  return callEvent(call, 'recording.ready', { duration_seconds: durationMs / 1_000 });
}

/** A turn to which nothing will be added any more. */
export function turnCompleted(call: CallRow, turn: LoggedTurn): WebhookEvent {
  return callEvent(call, 'turn.completed', {
    index: turn.index,
    role: turn.role,
    text: turn.text,
    cut: turn.cut,
    start_ms: turn.startMs,
    end_ms: turn.endMs,
    latency_ms: turn.latency?.total ?? null,
    latency: turn.latency ?? null,
  });
}

/** A tool that is over, or was refused; told with the turn that its call belongs to. */
export function toolCalled(call: CallRow, turn: number, tool: LoggedTool): WebhookEvent {
  return callEvent(call, 'tool.called', {
    turn_index: turn,
    name: tool.name,
    kind: tool.kind,
    arguments: parseArguments(tool.arguments),
    result: tool.result,
    outcome: tool.outcome,
    started_ms: Math.round(tool.startedMs),
    duration_ms: Math.round(tool.durationMs),
  });
}

function callEvent(
  call: CallRow,
  event: WebhookEvent['event'],
  data: Readonly<Record<string, unknown>>,
): WebhookEvent {
  return {
    event,
    accountId: call.account_id,
    agentId: call.agent_id,
    callId: call.call_id,
    data: { call_type: call.call_type, ...data },
  };
}

/** Calls without a telephone have none. */
function numbers({ from_number, to_number }: CallRow) {
  return {
    ...(from_number !== null && { from_number }),
    ...(to_number !== null && { to_number }),
  };
}
