import { randomUUID } from 'node:crypto';
import { PHONE_SAMPLE_RATE } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import { admissionRefusalError } from '../../calls/admission/call-slots.js';
import { type InboundParts, reserveInbound } from '../../calls/inbound/reserve-inbound.js';
import type { Agent } from '../../features/agents/agent.model.js';
import type { CallVariables } from '../../features/agents/config/call-overrides.schema.js';
import { parsePhoneNumber } from '../../features/phone-numbers/parse-phone-number.js';
import type { AudioSocketCallsRepository } from './audiosocket-calls.repository.js';

/** Equals the time for which a slot is reserved. */
const VALID_S = 60;

/** A call that Asterisk is about to connect. */
export interface AnnouncedCall {
  readonly agent: Agent;
  /** Numbers or SIP URIs, unchanged. */
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
  /** Override those of the inbound_call webhook. */
  readonly variables: CallVariables | null | undefined;
}

export interface RegisteredCall {
  readonly callId: string;
  readonly uuid: string;
  readonly expiresAt: Date;
}

export interface AudioSocketRegistrationParts extends InboundParts {
  readonly registrations: Pick<AudioSocketCallsRepository, 'register'>;
}

/** Registers calls of Asterisk: calls the agent's webhook, reserves a slot and issues a UUID. */
export class AudioSocketRegistration {
  readonly #parts: AudioSocketRegistrationParts;

  constructor(parts: AudioSocketRegistrationParts) {
    this.#parts = parts;
  }

  /** @throws ApiError CALL_VALIDATION_FAILED with a reason, OVERLOADED */
  async register({ agent, from, to, variables }: AnnouncedCall): Promise<RegisteredCall> {
    const callId = randomUUID();
    const [fromNumber, toNumber] = [parsePhoneNumber(from), parsePhoneNumber(to)];
    const call = { callId, agent, fromNumber, toNumber, sampleRate: PHONE_SAMPLE_RATE, variables };
    const reserved = await reserveInbound(this.#parts, call);
    if (reserved.type === 'refused') throw admissionRefusalError(reserved.why);
    const uuid = randomUUID();
    return {
      callId,
      uuid,
      expiresAt: await this.#parts.registrations.register(uuid, callId, VALID_S),
    };
  }
}
