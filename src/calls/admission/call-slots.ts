import { randomUUID } from 'node:crypto';
import type { Agent } from '../../features/agents/agent.model.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { CallRegistry } from '../session/call-registry.js';
import type { CallOptions } from '../store/call.model.js';
import type { CallRefusal, CallsRepository, NewCall } from '../store/calls.repository.js';

/** Why a call is not let in, whatever wire it would come over. */
export type SlotRefusal = CallRefusal | 'agent_not_deployed' | 'draining' | 'overloaded';

/** A call that somebody asks for. */
export interface SlotRequest
  extends Pick<NewCall, 'callType' | 'options' | 'fromNumber' | 'toNumber'> {
  readonly agent: Agent;
  /** A paused agent may be called too. */
  readonly isTest?: boolean;
  /** Hz of the agent's audio on the wire; by default its voice's own. */
  readonly sampleRate?: number;
}

export interface CallSlotsParts {
  readonly calls: Pick<CallsRepository, 'reserve'>;
  readonly registry: Pick<CallRegistry, 'isDraining'>;
  /** Whether this gateway keeps up with the calls that it has. */
  readonly load: { readonly isOpen: boolean };
  /** Warms the caches of this gateway for the agent's next call: greeting, LLM prompt and tools. */
  readonly warmCaches: (agent: Agent, options: CallOptions, sampleRate?: number) => Promise<void>;
}

/** Calls end, and the load is looked at each second. */
const RETRY_AFTER_S = 5;

const REFUSALS: Readonly<Record<CallRefusal | 'agent_not_deployed', string>> = {
  agent_not_deployed: 'The agent is not deployed: deploy it, or use test-connection-details',
  insufficient_credits: 'The account has no credits left',
  concurrency_limit: 'All call slots of this account are taken: try again when a call has ended',
};

/** Lets calls in, for every wire by the same rules, and takes their slots. */
export class CallSlots {
  readonly #parts: CallSlotsParts;

  constructor(parts: CallSlotsParts) {
    this.#parts = parts;
  }

  /** Why this gateway takes no call of the agent now; credits and slots are looked at by `reserve`. */
  refusalOf(agent: Agent, { isTest = false } = {}): SlotRefusal | undefined {
    const isAllowed = agent.status === 'deployed' || (isTest && agent.status === 'paused');
    if (!isAllowed) return 'agent_not_deployed';
    if (this.#parts.registry.isDraining) return 'draining';
    return this.#parts.load.isOpen ? undefined : 'overloaded';
  }

  /**
   * Makes ready what the call needs first and takes its slot, for 60 s unless it begins. The
   * overrides are those of a caller who checked them.
   */
  async reserve(request: SlotRequest, callId: string = randomUUID()): Promise<SlotReservation> {
    const { agent, isTest, sampleRate, ...call } = request;
    const refusal = this.refusalOf(agent, { isTest: isTest ?? false });
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
  | { readonly type: 'refused'; readonly why: SlotRefusal };

/** The sentence for a client that may not call. */
export function slotRefusalText(why: CallRefusal | 'agent_not_deployed'): string {
  return REFUSALS[why];
}

/** The answer of the API to who may not call. */
export function slotRefusalError(why: SlotRefusal): ApiError {
  if (why === 'draining') {
    return new ApiError('OVERLOADED', 'This gateway is stopping', { retryAfterS: 10 });
  }
  if (why === 'overloaded') {
    return new ApiError('OVERLOADED', 'This gateway holds as many calls as it can: try again', {
      retryAfterS: RETRY_AFTER_S,
    });
  }
  return new ApiError('CALL_VALIDATION_FAILED', REFUSALS[why], { fields: { reason: why } });
}
