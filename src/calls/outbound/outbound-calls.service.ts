import { PHONE_SAMPLE_RATE } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import type { Agent } from '../../features/agents/agent.model.js';
import { AGENT_SETTINGS } from '../../features/agents/config/agent-settings.js';
import type { NumberOwnership } from '../../features/ownership/number-ownership.js';
import type { Provider } from '../../features/phone-numbers/carrier.js';
import type { DialBlocklist } from '../../features/phone-numbers/dial-blocklist.js';
import type { VoiceOverrides } from '../../features/voices/voice-overrides.js';
import { ApiError } from '../../platform/http/api-error.js';
import { admissionRefusalError, type CallSlots } from '../admission/call-slots.js';
import type { CallCommandService } from '../commands/call-commands.service.js';
import type { CallOptions } from '../store/call.model.js';
import type { CallsRepository } from '../store/calls.repository.js';
import type { Dialer, DialerRegistry, DialStatus } from './dialer.js';

/** Statuses of calls that nobody answered. */
const UNREACHED: ReadonlySet<DialStatus> = new Set(['busy', 'no-answer', 'failed', 'canceled']);

export interface OutboundCallServiceParts {
  readonly calls: Pick<CallsRepository, 'find' | 'saveDialStatus' | 'endReserved'>;
  readonly slots: Pick<CallSlots, 'reserve'>;
  readonly commands: Pick<CallCommandService, 'end'>;
  readonly overrides: VoiceOverrides;
  /** Throws NOT_CONFIGURED with the settings that the carrier needs. */
  readonly carriers: { requireConfigured(provider: Provider): void };
  readonly dialers: DialerRegistry;
  readonly blocklist: DialBlocklist;
  readonly numbers: Pick<NumberOwnership, 'requireUsable'>;
}

/** Outbound calls of agents: permissions, dialling and progress. */
export class OutboundCallService {
  readonly #parts: OutboundCallServiceParts;

  constructor(parts: OutboundCallServiceParts) {
    this.#parts = parts;
  }

  /**
   * Reserves a slot and has the agent's carrier dial. @returns the call's id
   * @throws ApiError CALL_VALIDATION_FAILED with a reason, OVERLOADED, PROVIDER_ERROR,
   *   PUBLIC_URL_REQUIRED, PHONE_NUMBER_IN_USE, PHONE_NUMBER_NOT_OWNED,
   *   and those of `VoiceOverrides.check`
   */
  async start(agent: Agent, to: string, options: CallOptions): Promise<string> {
    const { slots, calls, overrides } = this.#parts;
    if (agent.status !== 'deployed') {
      throw notAllowed('The agent is not deployed: deploy it first', 'agent_not_deployed');
    }
    if (!agent.config.allow_outbound_calling)
      throw notAllowed('This agent may not make calls: set allow_outbound_calling');
    const carrier = agent.config.phone_provider ?? AGENT_SETTINGS.phone_provider.default;
    const dialer = this.#dialer(carrier);
    const from = agent.config.phone_number;
    if (!from) throw notAllowed('This agent has no phone number: set phone_number');
    if (this.#parts.blocklist.has(to))
      throw notAllowed('This number is on the block list of the operator');
    await this.#parts.numbers.requireUsable(agent.accountId, from);
    await overrides.check(agent, options.agent_overrides);
    const reserved = await slots.reserve({
      agent,
      callType: 'sip_outbound',
      options,
      fromNumber: from,
      toNumber: to,
      sampleRate: PHONE_SAMPLE_RATE,
    });
    if (reserved.type === 'refused') throw admissionRefusalError(reserved.why);
    const { callId } = reserved;
    try {
      const carrier_call_id = await dialer.dial({ callId, from, to });
      const isOpen = await calls.saveDialStatus(callId, {
        ...(carrier_call_id && { carrier, carrier_call_id }),
      });
      // The call was ended while the carrier accepted it.
      if (!isOpen && carrier_call_id !== undefined) await dialer.stop(carrier_call_id);
    } catch (error) {
      // A call that does not start must not keep its slot.
      await calls.saveDialStatus(callId, { dial_status: 'failed' });
      await calls.endReserved(callId, 'error_transport');
      throw error;
    }
    return callId;
  }

  /** Stops the ringing of a call that was ended before it was answered. */
  async stop(callId: string): Promise<void> {
    const row = await this.#parts.calls.find(callId);
    const { carrier, carrier_call_id } = row?.options ?? {};
    if (!carrier || carrier_call_id === undefined) return;
    await this.#parts.dialers[carrier]?.stop(carrier_call_id);
  }

  /** Handles a status report of the carrier. Reports may be repeated and out of order. */
  async progress(callId: string, status: DialStatus): Promise<void> {
    const { calls, commands } = this.#parts;
    await calls.saveDialStatus(callId, { dial_status: status });
    if (UNREACHED.has(status)) await calls.endReserved(callId, 'error_transport');
    if (status === 'machine') await commands.end(callId, 'voicemail_reached');
    if (status !== 'completed') return;
    await calls.endReserved(callId, 'error_transport');
    await commands.end(callId, 'user_hangup');
  }

  #dialer(provider: Provider): Dialer {
    this.#parts.carriers.requireConfigured(provider);
    const dialer = this.#parts.dialers[provider];
    if (dialer) return dialer;
    throw new ApiError(
      'PROVIDER_ERROR',
      `Parley cannot make calls through ${provider}: use a number of another carrier`,
    );
  }
}

function notAllowed(sentence: string, reason = 'outbound_not_allowed'): ApiError {
  return new ApiError('CALL_VALIDATION_FAILED', sentence, { fields: { reason } });
}
