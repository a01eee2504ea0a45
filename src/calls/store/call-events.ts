import type { Knex } from 'knex';
import type { LoggedTool, LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { CallRow } from './call.model.js';
import { shownArguments } from './turn.model.js';

/** Something about a call that receivers outside may be told. */
export interface CallWebhookEvent {
  readonly event:
    | 'call.started'
    | 'call.completed'
    | 'call.failed'
    | 'turn.completed'
    | 'tool.called'
    | 'recording.ready';
  readonly accountId: string;
  readonly agentId: string;
  readonly callId: string;
  /** In the contract's names. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Something was said in the call that ended. */
  readonly hasTranscript?: boolean;
  /** It is told after so long, or as soon as it is amended. */
  readonly holdMs?: number;
}

/** Writes events down inside the transaction of what they tell, so that neither is without the other. */
export interface CallEvents {
  record(transaction: Knex.Transaction, events: readonly CallWebhookEvent[]): Promise<void>;
}

/** Of which some are held until there is more to tell. */
export interface HeldEvents extends CallEvents {
  /** Adds to an event that is held, and lets it go; one that has gone stays as it was. */
  amend(
    transaction: Knex.Transaction,
    callId: string,
    change: Pick<CallWebhookEvent, 'event' | 'data'>,
  ): Promise<void>;
}

/** Media is connected. */
export function callStarted(call: CallRow): CallWebhookEvent {
  return about(call, 'call.started', {
    started_at: call.started_at?.toISOString(),
    ...numbers(call),
  });
}

/**
 * The end of a call: `call.completed` for each that had begun, whatever its reason, and before it
 * (or alone) `call.failed` for one that an error ended.
 */
export function callEnded(call: CallRow): readonly CallWebhookEvent[] {
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
  const told = (event: CallWebhookEvent['event']) => ({
    ...about(call, event, ended),
    hasTranscript: call.has_transcript,
  });
  return [
    ...(ended_reason?.startsWith('error_') ? [told('call.failed')] : []),
    ...(start ? [told('call.completed')] : []),
  ];
}

/** A call's recording can be fetched. */
export function recordingReady(call: CallRow, durationMs: number): CallWebhookEvent {
  return about(call, 'recording.ready', { duration_seconds: durationMs / 1_000 });
}

/** A turn to which nothing will be added any more. */
export function turnCompleted(call: CallRow, turn: LoggedTurn): CallWebhookEvent {
  return about(call, 'turn.completed', {
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
export function toolCalled(call: CallRow, turn: number, tool: LoggedTool): CallWebhookEvent {
  return about(call, 'tool.called', {
    turn_index: turn,
    name: tool.name,
    kind: tool.kind,
    arguments: shownArguments(tool.arguments),
    result: tool.result,
    outcome: tool.outcome,
    started_ms: Math.round(tool.startedMs),
    duration_ms: Math.round(tool.durationMs),
  });
}

function about(
  call: CallRow,
  event: CallWebhookEvent['event'],
  data: Readonly<Record<string, unknown>>,
): CallWebhookEvent {
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
