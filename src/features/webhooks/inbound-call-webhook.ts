import type { Logger } from 'pino';
import { EgressError } from '../../platform/egress/egress-error.js';
import type { Agent } from '../agents/agent.model.js';
import type { CallOverrides } from '../agents/config/call-overrides.schema.js';
import type { VoiceOverrides } from '../voices/voice-overrides.js';
import { readReply } from './inbound-call-reply.js';
import { makeMessageId, type WebhookSender } from './webhook-sender.js';

/** A ringing call. */
export interface RingingCall {
  readonly callId: string;
  /** E.164; null if withheld. */
  readonly fromNumber: string | null;
  /** null if unknown. */
  readonly toNumber: string | null;
}

/** The result of an inbound_call webhook. */
export interface InboundCallOptions extends CallOverrides {
  /** Why the reply was not used. The call runs without overrides. */
  readonly inbound_call_error?: string | undefined;
}

/** Looks up the variables and overrides of a ringing call. */
export interface InboundWebhooks {
  /** Never throws. If the webhook fails, times out or sends an invalid reply, sets `inbound_call_error`. */
  optionsFor(agent: Agent, call: RingingCall): Promise<InboundCallOptions>;
}

/** Upper limit of the configured timeout, because the phone rings during the request. */
const MAX_TIMEOUT_MS = 5_000;
export const MAX_REPLY_BYTES = 262_144;

/** The request body of an inbound_call webhook. */
export function inboundCallRequest(agentId: string, call: RingingCall) {
  return {
    agent_id: agentId,
    call_id: call.callId,
    from_number: call.fromNumber,
    to_number: call.toNumber,
  };
}

export interface InboundCallParts {
  readonly sender: WebhookSender;
  readonly overrides: VoiceOverrides;
  readonly log: Logger;
}

/** Calls the agent's `inbound_call` webhook. */
export class InboundCallWebhooks implements InboundWebhooks {
  readonly #parts: InboundCallParts;

  constructor(parts: InboundCallParts) {
    this.#parts = parts;
  }

  async optionsFor(agent: Agent, call: RingingCall): Promise<InboundCallOptions> {
    const target = agent.config.webhooks?.inbound_call;
    if (!target?.enabled) return {};
    const { sender, overrides, log } = this.#parts;
    try {
      const answer = await sender.send(
        {
          agentId: agent.id,
          target,
          id: makeMessageId(),
          body: JSON.stringify(inboundCallRequest(agent.id, call)),
          timeoutMs: Math.min(target.timeout * 1_000, MAX_TIMEOUT_MS),
        },
        { maxBytes: MAX_REPLY_BYTES },
      );
      const reply = await readReply(answer, agent, overrides);
      if (reply.type === 'valid') return reply.options;
      log.warn(
        { callId: call.callId },
        'Ignored the response of an inbound_call webhook, because it is not valid',
      );
      return { inbound_call_error: reply.error };
    } catch (error) {
      log.warn(
        { err: error, callId: call.callId },
        'An inbound_call webhook failed: the call runs without overrides',
      );
      const isKnown = error instanceof EgressError;
      return { inbound_call_error: isKnown ? error.message : 'The request could not be sent' };
    }
  }
}
