import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { CallSlots } from '../calls/admission/call-slots.js';
import type { CallCommandService } from '../calls/commands/call-commands.service.js';
import { InboundCallService } from '../calls/inbound/inbound-calls.service.js';
import type { OutboundCalls } from '../calls/outbound/outbound-calls.service.js';
import type { MediaConnector } from '../calls/session/media-connector.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import { type TwilioSettings, twilioClientOf } from '../channels/twilio/dialer.js';
import { twilioSocket } from '../channels/twilio/media-socket.js';
import { MediaTokens } from '../channels/twilio/media-tokens.js';
import { twilioWebhooks } from '../channels/twilio/twilio.webhooks.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import type { InboundCalls } from '../features/webhooks/inbound-call-webhook.js';
import type { RateLimiter } from '../platform/http/rate-limit.js';
import type { SocketRoute } from '../platform/http/websocket-router.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface TwilioParts {
  readonly config: TwilioSettings;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly commands: CallCommandService;
  readonly outbound: OutboundCalls;
  readonly phones: MediaConnector;
  readonly inboundCalls: InboundCalls;
  readonly limiter: RateLimiter;
  /** `http(s)://host[:port]` by which Twilio reaches this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
}

/** Everything about Twilio's calls, put together. */
export interface OpenTwilio {
  readonly root: RequestHandler;
  readonly socket: SocketRoute;
}

/** Puts Twilio's webhooks and sockets together; without its settings they refuse whatever comes. */
export function openTwilio(parts: TwilioParts): OpenTwilio {
  const { config, db, secrets, calls, slots, phones, inboundCalls: inbound } = parts;
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = config;
  const tokens = new MediaTokens(secrets);
  const desk = new InboundCallService({ agents: new AgentsRepository(db), calls, slots, inbound });
  const isConfigured = accountSid !== undefined && authToken !== undefined;
  const account = isConfigured ? { accountSid, authToken } : undefined;
  return {
    root: twilioWebhooks({ ...parts, account, desk, tokens }),
    socket: twilioSocket({
      tokens,
      calls,
      connections: phones,
      rest: twilioClientOf(config),
      authToken,
      origin: parts.origin,
    }),
  };
}
