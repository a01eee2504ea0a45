import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { AgentsRepository } from '../../agents/agents.repository.js';
import type { CallCommands } from '../../calls/call-commands.js';
import type { CallSlots } from '../../calls/call-slots.js';
import type { CallsRepository } from '../../calls/calls.repository.js';
import type { OutboundCalls } from '../../calls/outbound-calls.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import type { SocketRoute } from '../../http/upgrade.js';
import type { SecretKeys } from '../../secrets/secret-keys.js';
import type { InboundCalls } from '../../webhooks/inbound-calls.js';
import { MediaTokens } from '../media-tokens.js';
import type { PhoneConnections } from '../phone-connections.js';
import { PhoneDesk } from '../phone-desk.js';
import { type TwilioSettings, twilioCallsOf } from './dialler.js';
import { twilioSocket } from './media-socket.js';
import { twilioWebhooks } from './webhooks.js';

export interface TwilioParts {
  readonly config: TwilioSettings;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly commands: CallCommands;
  readonly outbound: OutboundCalls;
  readonly phones: PhoneConnections;
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
  const desk = new PhoneDesk({ agents: new AgentsRepository(db), calls, slots, inbound });
  const isConfigured = accountSid !== undefined && authToken !== undefined;
  const account = isConfigured ? { accountSid, authToken } : undefined;
  return {
    root: twilioWebhooks({ ...parts, account, desk, tokens }),
    socket: twilioSocket({
      tokens,
      calls,
      connections: phones,
      rest: twilioCallsOf(config),
      authToken,
      origin: parts.origin,
    }),
  };
}
