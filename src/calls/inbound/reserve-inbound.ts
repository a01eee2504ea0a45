import type { Agent } from '../../features/agents/agent.model.js';
import type { CallVariables } from '../../features/agents/config/call-overrides.schema.js';
import type { InboundWebhooks, RingingCall } from '../../features/webhooks/inbound-call-webhook.js';
import type { CallSlots, SlotReservation } from '../admission/call-slots.js';
import type { CallOptions } from '../store/call.model.js';
import type { CallsRepository } from '../store/calls.repository.js';

export interface InboundParts {
  readonly calls: Pick<CallsRepository, 'accountRefusalOf'>;
  readonly slots: Pick<CallSlots, 'reserve' | 'gatewayRefusalOf'>;
  readonly inboundWebhooks: InboundWebhooks;
}

/** An inbound telephone call of an agent. */
export interface InboundCall extends RingingCall {
  readonly agent: Agent;
  /** Sample rate of the agent's audio on the transport, Hz. */
  readonly sampleRate: number;
  /** Override those of the inbound_call webhook. */
  readonly variables?: CallVariables | null | undefined;
}

/** Calls the agent's inbound_call webhook and reserves a slot. No webhook is called for a call that is refused. */
export async function reserveInbound(
  { calls, slots, inboundWebhooks }: InboundParts,
  { agent, sampleRate, variables, ...ringing }: InboundCall,
): Promise<SlotReservation> {
  const why = slots.gatewayRefusalOf(agent) ?? (await calls.accountRefusalOf(agent.accountId));
  if (why) return { type: 'refused', why };
  const options = withVariables(await inboundWebhooks.optionsFor(agent, ringing), variables);
  const { callId, ...numbers } = ringing;
  return slots.reserve({ agent, callType: 'sip_inbound', options, sampleRate, ...numbers }, callId);
}

function withVariables(options: CallOptions, variables: InboundCall['variables']): CallOptions {
  if (!variables) return options;
  return { ...options, dynamic_variables: { ...options.dynamic_variables, ...variables } };
}
