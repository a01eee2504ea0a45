import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallOverrides } from '../../features/agents/config/call-overrides.schema.js';
import type { Provider } from '../../features/phone-numbers/carrier.js';

export type CallType = 'web' | 'sip_inbound' | 'sip_outbound';

/** The options of one call, as stored with it. */
export interface CallOptions extends CallOverrides {
  /** Why the reply of the inbound_call webhook was not used. The call then runs without overrides. */
  readonly inbound_call_error?: string | undefined;
  /** The carrier's last status of an outbound call. */
  readonly dial_status?: string | undefined;
  readonly carrier?: Provider | undefined;
  /** The carrier's id of the call. */
  readonly carrier_call_id?: string | undefined;
}

export interface CallRow {
  readonly id: number;
  readonly call_id: string;
  readonly account_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly call_type: CallType;
  /** `live`: a gateway holds the call. The API and other names call it a running call. */
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
