import { ROOM_RATE } from '../../../agents-runtime/transports/livekit/ipc-messages.js';
import type { RoomCaller } from '../../../agents-runtime/transports/livekit/room-transport.js';
import type { AdmissionRefusal } from '../../calls/admission/call-slots.js';
import { type InboundParts, reserveInbound } from '../../calls/inbound/reserve-inbound.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import type { NumberOwnership } from '../../features/ownership/number-ownership.js';
import { parsePhoneNumber } from '../../features/phone-numbers/parse-phone-number.js';

export interface SipInboundParts extends InboundParts {
  readonly agents: Pick<AgentsRepository, 'find'>;
  readonly calls: Pick<CallsRepository, 'find' | 'accountRefusalOf'>;
  readonly numbers: Pick<NumberOwnership, 'isForeign'>;
}

/** The agent of a room that was not created for a client. */
export interface RoomAgent {
  readonly accountId: string;
  readonly agentId: string;
}

/** Calls from LiveKit SIP. They are reserved when the caller is in the room. */
export class SipInbound {
  readonly #parts: SipInboundParts;

  constructor(parts: SipInboundParts) {
    this.#parts = parts;
  }

  /** Whether the call is new and its agent is deployed. */
  async isAcceptable(callId: string, { accountId, agentId }: RoomAgent): Promise<boolean> {
    const { agents, calls } = this.#parts;
    if (await calls.find(callId)) return false;
    const agent = await agents.find(accountId, agentId);
    return agent?.status === 'deployed';
  }

  /**
   * Reserves the call of a caller. For a telephone call, calls the agent's inbound_call webhook first.
   * @returns the reason if it is refused
   */
  async reserve(
    callId: string,
    { accountId, agentId }: RoomAgent,
    caller: RoomCaller,
  ): Promise<AdmissionRefusal | 'not_reserved' | undefined> {
    const agent = await this.#parts.agents.find(accountId, agentId);
    if (!agent) return 'agent_not_deployed';
    const request = { agent, ...numbersOf(caller), sampleRate: ROOM_RATE };
    if (await this.#isForeign(accountId, request.toNumber)) return 'agent_not_deployed';
    try {
      const reserved = caller.isPhone
        ? await reserveInbound(this.#parts, { ...request, callId })
        : await this.#parts.slots.reserve({ ...request, callType: 'web', options: {} }, callId);
      return reserved.type === 'refused' ? reserved.why : undefined;
    } catch (error) {
      // Another gateway may have received the same job.
      if (await this.#parts.calls.find(callId)) return 'not_reserved';
      throw error;
    }
  }

  /** A dispatch rule may be older than the number's current owner. */
  async #isForeign(accountId: string, toNumber: string | null): Promise<boolean> {
    return toNumber !== null && (await this.#parts.numbers.isForeign(accountId, toNumber));
  }
}

function numbersOf({ attributes }: RoomCaller) {
  return {
    fromNumber: parsePhoneNumber(attributes['sip.phoneNumber']),
    toNumber: parsePhoneNumber(attributes['sip.trunkPhoneNumber']),
  };
}
