import type { LoggedTool, LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { WebhookEvent } from '../../features/webhooks/webhook-events.js';
import type { CallRow } from './call.model.js';
import { parseArguments } from './turn.model.js';

/** The event of a call whose media is connected. */
export function callStarted(call: CallRow): WebhookEvent {
  return callEvent(call, 'call.started', {
    started_at: call.started_at?.toISOString(),
    ...phoneNumbersOf(call),
  });
}

/**
 * The events of a call's end: `call.failed` if an error ended it, then `call.completed` if it had started.
 */
export function callEnded(call: CallRow): readonly WebhookEvent[] {
  const { started_at: start, ended_at: end, ended_reason } = call;
  const ended = {
    duration_seconds: start && end ? (end.getTime() - start.getTime()) / 1_000 : 0,
    credits_used: Number(call.credits_used),
    transcript_uri: null,
    transcript_summary: null,
    ...phoneNumbersOf(call),
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

/** The event of a recording that can be downloaded. */
export function recordingReady(call: CallRow, durationMs: number): WebhookEvent {
  return callEvent(call, 'recording.ready', { duration_seconds: durationMs / 1_000 });
}

/** The event of a turn that is complete. */
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

/** The event of a tool call that has ended or was refused. @param turn - the index of its turn */
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

/** Only telephone calls have numbers. */
function phoneNumbersOf({ from_number, to_number }: CallRow) {
  return {
    ...(from_number !== null && { from_number }),
    ...(to_number !== null && { to_number }),
  };
}
