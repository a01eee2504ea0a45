import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { FrameTicker } from '../../agents-runtime/timing/frame-ticker.js';
import type { CallSlots } from '../calls/admission/call-slots.js';
import type { CallCommandService } from '../calls/commands/call-commands.service.js';
import { InboundCallService } from '../calls/inbound/inbound-calls.service.js';
import { outboundRoutes } from '../calls/outbound/outbound-calls.routes.js';
import { OutboundCallService } from '../calls/outbound/outbound-calls.service.js';
import type { CallSessionFactory } from '../calls/session/call-session.factory.js';
import { MediaConnector } from '../calls/session/media-connector.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import { audioSocketRoutes } from '../channels/audiosocket/audiosocket.routes.js';
import { AudioSocketCallsRepository } from '../channels/audiosocket/audiosocket-calls.repository.js';
import { AudioSocketRegistration } from '../channels/audiosocket/audiosocket-registration.js';
import { AudioSocketServer } from '../channels/audiosocket/audiosocket-server.js';
import { TwilioDialer, type TwilioSettings } from '../channels/twilio/dialer.js';
import { twilioSocket } from '../channels/twilio/media-socket.js';
import { MediaTokens } from '../channels/twilio/media-tokens.js';
import { twilioWebhooks } from '../channels/twilio/twilio.webhooks.js';
import { TwilioClient } from '../channels/twilio/twilio-client.js';
import type { Config } from '../config/config.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import type { NumberOwnership } from '../features/ownership/number-ownership.js';
import type { CarrierRegistry } from '../features/phone-numbers/carrier-registry.js';
import { DialBlocklist } from '../features/phone-numbers/dial-blocklist.js';
import type { VoiceOverrides } from '../features/voices/voice-overrides.js';
import type { InboundWebhooks } from '../features/webhooks/inbound-call-webhook.js';
import type { RateLimiter } from '../platform/http/rate-limit.js';
import type { Route } from '../platform/http/route.js';
import type { SocketRoute } from '../platform/http/websocket-router.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface TelephonyParts {
  readonly config: Config;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  readonly log: Logger;
  readonly agents: AgentsRepository;
  readonly numbers: NumberOwnership;
  readonly carriers: CarrierRegistry;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly sessions: CallSessionFactory;
  readonly commands: CallCommandService;
  readonly ticker: FrameTicker;
  readonly overrides: VoiceOverrides;
  readonly inboundWebhooks: InboundWebhooks;
  readonly limiter: RateLimiter;
  /** `http(s)://host[:port]` by which carriers reach this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
}

/** Calls to and from telephones. The webhooks of a carrier that is not configured refuse all requests. */
export function createTelephonyModule(parts: TelephonyParts) {
  const { config, agents, origin } = parts;
  const connector = new MediaConnector(parts);
  const blocklist = new DialBlocklist(config.OUTBOUND_REFUSED_NUMBERS);
  const client = createTwilioClient(config);
  const dialers = client ? { twilio: new TwilioDialer(client, origin) } : {};
  const outbound = new OutboundCallService({ ...parts, dialers, blocklist });
  const twilio = createTwilio({ ...parts, client, connector, outbound });
  const audioSocket = createAudioSocket({ ...parts, connector });
  return {
    outbound,
    /** Numbers that no call may dial or transfer to. */
    blocklist,
    routes: [...outboundRoutes({ agents, outbound }), ...audioSocket.routes],
    carrierWebhooks: [twilio.webhooks],
    sockets: [twilio.socket],
    /** @throws StartError */
    listen: () => audioSocket.listen(),
    close: () => audioSocket.close(),
  };
}

/** Undefined while Twilio is not configured. */
export function createTwilioClient(settings: TwilioSettings): TwilioClient | undefined {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = settings;
  if (accountSid === undefined || authToken === undefined) return undefined;
  return new TwilioClient({ accountSid, authToken, baseUrl: settings.TWILIO_BASE_URL });
}

interface TwilioParts extends Omit<TelephonyParts, 'config'> {
  readonly config: TwilioSettings;
  readonly client: TwilioClient | undefined;
  readonly connector: MediaConnector;
  readonly outbound: OutboundCallService;
}

/** Webhooks and media sockets of Twilio. */
function createTwilio(parts: TwilioParts): { webhooks: RequestHandler; socket: SocketRoute } {
  const { config, client, connector } = parts;
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = config;
  const tokens = new MediaTokens(parts.secrets);
  const inboundCalls = new InboundCallService(parts);
  const isConfigured = accountSid !== undefined && authToken !== undefined;
  const account = isConfigured ? { accountSid, authToken } : undefined;
  return {
    webhooks: twilioWebhooks({ ...parts, account, inboundCalls, tokens }),
    socket: twilioSocket({
      ...parts,
      tokens,
      connector,
      client,
      authToken,
    }),
  };
}

export interface AudioSocketParts {
  readonly config: Pick<Config, 'AUDIOSOCKET_PORT' | 'AUDIOSOCKET_HOST'>;
  readonly db: Knex;
  readonly log: Logger;
  readonly agents: AgentsRepository;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly connector: MediaConnector;
  readonly inboundWebhooks: InboundWebhooks;
}

/** Registration of Asterisk's calls, and the TCP server for their audio. */
export function createAudioSocket(parts: AudioSocketParts): {
  readonly routes: readonly Route[];
  /** Does nothing while AUDIOSOCKET_PORT is not set. @throws StartError */
  listen(): Promise<void>;
  close(): void;
} {
  const { config, agents, calls, slots, inboundWebhooks } = parts;
  const registrations = new AudioSocketCallsRepository(parts.db);
  const registration = new AudioSocketRegistration({
    calls,
    slots,
    inboundWebhooks,
    registrations,
  });
  const server = new AudioSocketServer({ ...parts, registrations });
  return {
    routes: audioSocketRoutes({ agents, registration, port: () => server.port }),
    async listen() {
      const { AUDIOSOCKET_PORT: port, AUDIOSOCKET_HOST: host } = config;
      if (port !== undefined) await server.listen(port, host);
    },
    close: () => server.close(),
  };
}
