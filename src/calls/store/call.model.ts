import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallOptions } from '../connection/connection.schema.js';

export type CallType = 'web' | 'sip_inbound' | 'sip_outbound';

export interface CallRow {
  readonly id: number;
  readonly call_id: string;
  readonly account_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly call_type: CallType;
  readonly state: 'reserved' | 'live' | 'ended';
  readonly gateway_id: string | null;
  readonly options: CallOptions;
  readonly from_number: string | null;
  readonly to_number: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly ended_reason: EndedReason | null;
  readonly credits_used: number;
  readonly has_transcript: boolean;
}
