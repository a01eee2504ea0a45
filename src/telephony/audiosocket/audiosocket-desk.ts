import { randomUUID } from 'node:crypto';
import { LINE_RATE } from '../../../agents-runtime/transports/telephony/phone-line.js';
import type { Agent } from '../../agents/agents.repository.js';
import { type CallSlots, refusedCall } from '../../calls/call-slots.js';
import type { CallOptions, CallVariables } from '../../calls/calls.schema.js';
import type { InboundCalls } from '../../webhooks/inbound-calls.js';
import { numberOf } from '../phone-number.js';
import type { AudioSocketCallsRepository } from './audiosocket-calls.repository.js';

/** As long as a slot is held for a call that has not begun. */
const GOOD_FOR_S = 60;

/** A call that an Asterisk is about to bring. */
export interface ComingCall {
  readonly agent: Agent;
  /** As the exchange writes them. */
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
  /** They win over those of the inbound_call webhook. */
  readonly variables: CallVariables | null | undefined;
}

export interface RegisteredCall {
  readonly callId: string;
  readonly uuid: string;
  readonly expiresAt: Date;
}

export interface AudioSocketDeskParts {
  readonly slots: CallSlots;
  readonly inboundCalls: InboundCalls;
  readonly registered: Pick<AudioSocketCallsRepository, 'register'>;
}

/** Where exchanges announce calls: the agent's webhook is asked, a slot is taken, a UUID handed out. */
export class AudioSocketDesk {
  readonly #parts: AudioSocketDeskParts;

  constructor(parts: AudioSocketDeskParts) {
    this.#parts = parts;
  }

  /** @throws ApiError CALL_VALIDATION_FAILED with a reason, OVERLOADED */
  async register({ agent, from, to, variables }: ComingCall): Promise<RegisteredCall> {
    const { slots, inboundCalls, registered } = this.#parts;
    const refusal = slots.refusalOf(agent);
    if (refusal) throw refusedCall(refusal);
    const callId = randomUUID();
    const [fromNumber, toNumber] = [numberOf(from), numberOf(to)];
    const asked = await inboundCalls.optionsFor(agent, { callId, fromNumber, toNumber });
    const options = withVariables(asked, variables);
    const reserved = await slots.reserve(
      { agent, callType: 'sip_inbound', options, fromNumber, toNumber, sampleRate: LINE_RATE },
      callId,
    );
    if (reserved.type === 'refused') throw refusedCall(reserved.why);
    const uuid = randomUUID();
    return { callId, uuid, expiresAt: await registered.register(uuid, callId, GOOD_FOR_S) };
  }
}

function withVariables(
  options: CallOptions,
  variables: CallVariables | null | undefined,
): CallOptions {
  if (!variables) return options;
  return { ...options, dynamic_variables: { ...options.dynamic_variables, ...variables } };
}
