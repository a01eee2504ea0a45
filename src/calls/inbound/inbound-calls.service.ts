import { PHONE_SAMPLE_RATE } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import { parsePhoneNumber } from '../../features/phone-numbers/parse-phone-number.js';
import type { AdmissionRefusal } from '../admission/call-slots.js';
import type { CallRow } from '../store/call.model.js';
import type { CallsRepository } from '../store/calls.repository.js';
import { callIdOf } from './carrier-call-id.js';
import { type InboundParts, reserveInbound } from './reserve-inbound.js';

/** An inbound call, as its carrier reports it. */
export interface IncomingCall {
  readonly carrier: string;
  /** The carrier's id of the call. Reports with the same id are about one call. */
  readonly carrierCallId: string;
  /** Numbers, SIP addresses, or the carrier's placeholder for a withheld number. */
  readonly from: string;
  readonly to: string;
}

/** Whether an inbound call is answered. */
export type InboundDecision =
  | {
      readonly type: 'admitted';
      readonly callId: string;
      readonly agentId: string;
      readonly from: string | null;
      readonly to: string | null;
    }
  | { readonly type: 'refused'; readonly why: AdmissionRefusal | 'no_agent' }
  /** The call has ended. */
  | { readonly type: 'over' };

export interface InboundCallServiceParts extends InboundParts {
  readonly agents: Pick<AgentsRepository, 'findDeployedByNumber'>;
  readonly calls: Pick<CallsRepository, 'find' | 'accountRefusalOf'>;
}

/** Admits inbound telephone calls: finds the agent, calls its webhook and reserves a slot. */
export class InboundCallService {
  readonly #parts: InboundCallServiceParts;
  /** Decisions in progress, by call id. A repeated report waits for the first decision. */
  readonly #pending = new Map<string, Promise<InboundDecision>>();

  constructor(parts: InboundCallServiceParts) {
    this.#parts = parts;
  }

  /** Decides about a call. Idempotent, also across gateways. */
  admit(call: IncomingCall): Promise<InboundDecision> {
    const callId = callIdOf(call.carrier, call.carrierCallId);
    const known = this.#pending.get(callId);
    if (known) return known;
    const decision = this.#admit(callId, call).finally(() => this.#pending.delete(callId));
    this.#pending.set(callId, decision);
    return decision;
  }

  /** Resolves when no decision about the call is in progress here. If it was admitted, its record exists. */
  async waitUntilDecided(carrier: string, carrierCallId: string): Promise<void> {
    // The caller of `admit` receives the error.
    await this.#pending.get(callIdOf(carrier, carrierCallId))?.catch(() => undefined);
  }

  async #admit(callId: string, { from, to }: IncomingCall): Promise<InboundDecision> {
    const before = await this.#parts.calls.find(callId);
    if (before) return decisionFor(before);
    const toNumber = parsePhoneNumber(to);
    const agent = toNumber && (await this.#parts.agents.findDeployedByNumber(toNumber));
    if (!agent) return { type: 'refused', why: 'no_agent' };
    const fromNumber = parsePhoneNumber(from);
    try {
      const call = { callId, agent, fromNumber, toNumber, sampleRate: PHONE_SAMPLE_RATE };
      const reserved = await reserveInbound(this.#parts, call);
      if (reserved.type === 'refused') return reserved;
    } catch (error) {
      // Another gateway received the same report first.
      const other = await this.#parts.calls.find(callId);
      if (other) return decisionFor(other);
      throw error;
    }
    return { type: 'admitted', callId, agentId: agent.id, from: fromNumber, to: toNumber };
  }
}

function decisionFor({
  state,
  call_id,
  agent_id,
  from_number,
  to_number,
}: CallRow): InboundDecision {
  if (state === 'ended') return { type: 'over' };
  return {
    type: 'admitted',
    callId: call_id,
    agentId: agent_id,
    from: from_number,
    to: to_number,
  };
}
