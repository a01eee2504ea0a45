import type { LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { AgentState, CallEvent } from '../../../agents-runtime/contract/transport.js';
import type { CallRow } from '../store/call.model.js';

/** A running call, with the field names of the API. */
export interface RunningCall {
  readonly call_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly call_type: string;
  readonly from_number: string | null;
  readonly to_number: string | null;
  readonly started_at: string | null;
}

/** A recorded turn. A later one with the same index replaces it. */
interface LiveTurn {
  readonly index: number;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly cut: boolean;
  readonly start_ms: number;
  readonly end_ms: number;
}

/** Why a stream ends. */
export type ClosedReason =
  | 'call_ended'
  | 'slow_reader'
  | 'key_revoked'
  | 'gateway_stopping'
  | 'gateway_unreachable';

/** An event of a call for watchers. */
export type LiveEvent = { readonly call_id: string } & (
  | ({ readonly type: 'call'; readonly state: AgentState } & RunningCall)
  | { readonly type: 'state'; readonly state: AgentState }
  | {
      readonly type: 'transcript';
      readonly segment: string;
      readonly role: 'user' | 'agent';
      readonly text: string;
      readonly final: boolean;
      readonly start_ms: number;
      readonly end_ms: number;
    }
  | ({ readonly type: 'turn' } & LiveTurn)
  | { readonly type: 'latency'; readonly turn: number; readonly total: number }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'ended'; readonly reason: EndedReason }
);

/** The event for watchers of an event that the call sends to its client; undefined if there is none. */
export function fromCallEvent(callId: string, event: CallEvent): LiveEvent | undefined {
  switch (event.type) {
    case 'transcript': {
      const { startMs, endMs, ...said } = event;
      return {
        call_id: callId,
        ...said,
        start_ms: Math.round(startMs),
        end_ms: Math.round(endMs),
      };
    }
    case 'end':
      return undefined; // `ended` is published when the record is written.
    default:
      return { call_id: callId, ...event };
  }
}

export function fromTurn(callId: string, turn: LoggedTurn): LiveEvent {
  const { index, role, text, cut, startMs, endMs } = turn;
  return {
    type: 'turn',
    call_id: callId,
    index,
    role,
    text,
    cut,
    start_ms: Math.round(startMs),
    end_ms: Math.round(endMs),
  };
}

export function toRunning(row: CallRow): RunningCall {
  const { call_id, agent_id, agent_name, call_type, from_number, to_number } = row;
  const started_at = row.started_at?.toISOString() ?? null;
  return { call_id, agent_id, agent_name, call_type, from_number, to_number, started_at };
}
