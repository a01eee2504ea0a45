import { randomUUID } from 'node:crypto';
import { PHONE_SAMPLE_RATE } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import type { Agent } from '../../agents/agents.repository.js';
import { refusedCall } from '../../calls/call-slots.js';
import type { CallVariables } from '../../calls/calls.schema.js';
import { numberOf } from '../phone-number.js';
import { type InboundParts, reserveInbound } from '../reserve-inbound.js';
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

export interface AudioSocketDeskParts extends InboundParts {
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
    const callId = randomUUID();
    const [fromNumber, toNumber] = [numberOf(from), numberOf(to)];
    const call = { callId, agent, fromNumber, toNumber, sampleRate: PHONE_SAMPLE_RATE, variables };
    const reserved = await reserveInbound(this.#parts, call);
    if (reserved.type === 'refused') throw refusedCall(reserved.why);
    const uuid = randomUUID();
    return {
      callId,
      uuid,
      expiresAt: await this.#parts.registered.register(uuid, callId, GOOD_FOR_S),
    };
  }
}
