import { randomUUID } from 'node:crypto';
import type { Agent } from '../../features/agents/agent.model.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { CallRegistry } from '../session/call-registry.js';
import type { CallOptions } from '../store/call.model.js';
import type { AccountRefusal, CallsRepository, NewCall } from '../store/calls.repository.js';

/** Why a call gets no slot. */
export type AdmissionRefusal = AccountRefusal | 'agent_not_deployed' | 'draining' | 'overloaded';

/** A call that needs a slot. */
export interface SlotRequest
  extends Pick<NewCall, 'callType' | 'options' | 'fromNumber' | 'toNumber'> {
  readonly agent: Agent;
  /** Also admits calls of a paused agent. */
  readonly isTest?: boolean;
  /** Sample rate of the agent's audio on the transport, Hz. Default: that of its voice. */
  readonly sampleRate?: number;
}

export interface CallSlotsParts {
  readonly calls: Pick<CallsRepository, 'reserve'>;
  readonly registry: Pick<CallRegistry, 'isDraining'>;
  /** Whether this gateway can take more calls. */
  readonly load: { readonly admitsCalls: boolean };
  /** Warms the caches of this gateway for the agent's next call: greeting, LLM prompt and tools. */
  readonly warmCaches: (agent: Agent, options: CallOptions, sampleRate?: number) => Promise<void>;
}

/** `Retry-After` of an overloaded gateway. Its load is measured every second. */
const RETRY_AFTER_OVERLOAD_S = 5;
/** `Retry-After` of a stopping gateway: time for a client to reach another one. */
const RETRY_AFTER_STOP_S = 10;

const REFUSAL_TEXTS: Readonly<Record<AccountRefusal | 'agent_not_deployed', string>> = {
  agent_not_deployed: 'The agent is not deployed: deploy it, or use test-connection-details',
  insufficient_credits: 'The account has no credits left: ask the operator to add some',
  concurrency_limit: 'All call slots of this account are in use: try again when a call has ended',
};

/** Admits calls by the same rules for all transports, and reserves their slots. */
export class CallSlots {
  readonly #parts: CallSlotsParts;

  constructor(parts: CallSlotsParts) {
    this.#parts = parts;
  }

  /** Why this gateway refuses a call of the agent now. Only `reserve` checks credits and slots. */
  gatewayRefusalOf(agent: Agent, { isTest = false } = {}): AdmissionRefusal | undefined {
    const isAllowed = agent.status === 'deployed' || (isTest && agent.status === 'paused');
    if (!isAllowed) return 'agent_not_deployed';
    if (this.#parts.registry.isDraining) return 'draining';
    return this.#parts.load.admitsCalls ? undefined : 'overloaded';
  }

  /**
   * Warms the caches for the call and reserves its slot, for 60 s unless the call starts. The overrides
   * of the request must have been checked.
   */
  async reserve(request: SlotRequest, callId: string = randomUUID()): Promise<SlotReservation> {
    const { agent, isTest, sampleRate, ...call } = request;
    const refusal = this.gatewayRefusalOf(agent, { isTest: isTest ?? false });
    if (refusal) return { type: 'refused', why: refusal };
    await this.#parts.warmCaches(agent, call.options, sampleRate);
    const why = await this.#parts.calls.reserve({
      ...call,
      callId,
      accountId: agent.accountId,
      agentId: agent.id,
      agentName: agent.name,
    });
    return why ? { type: 'refused', why } : { type: 'reserved', callId };
  }
}

export type SlotReservation =
  | { readonly type: 'reserved'; readonly callId: string }
  | { readonly type: 'refused'; readonly why: AdmissionRefusal };

/** Explains a refusal to a client. */
export function admissionRefusalText(why: AccountRefusal | 'agent_not_deployed'): string {
  return REFUSAL_TEXTS[why];
}

/** The API error of a refusal. */
export function admissionRefusalError(why: AdmissionRefusal): ApiError {
  if (why === 'draining') {
    const message = `This gateway is stopping: try again in ${RETRY_AFTER_STOP_S} s`;
    return new ApiError('OVERLOADED', message, { retryAfterS: RETRY_AFTER_STOP_S });
  }
  if (why === 'overloaded') {
    const message = `This gateway has as many calls as it can process: try again in ${RETRY_AFTER_OVERLOAD_S} s`;
    return new ApiError('OVERLOADED', message, { retryAfterS: RETRY_AFTER_OVERLOAD_S });
  }
  return new ApiError('CALL_VALIDATION_FAILED', REFUSAL_TEXTS[why], { fields: { reason: why } });
}
