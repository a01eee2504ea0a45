import type { Knex } from 'knex';
import { pino } from 'pino';
import { CallSlots } from '../../../../src/calls/admission/call-slots.js';
import { CallCommandService } from '../../../../src/calls/commands/call-commands.service.js';
import { outboundRoutes } from '../../../../src/calls/outbound/outbound-calls.routes.js';
import { OutboundCallService } from '../../../../src/calls/outbound/outbound-calls.service.js';
import { CallRegistry } from '../../../../src/calls/session/call-registry.js';
import { CallsRepository } from '../../../../src/calls/store/calls.repository.js';
import { TwilioDialer } from '../../../../src/channels/twilio/dialer.js';
import { createTwilioClient } from '../../../../src/composition/telephony.module.js';
import { DEFAULT_BLOCKLIST } from '../../../../src/config/telephony.settings.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import { NumberOwnership } from '../../../../src/features/ownership/number-ownership.js';
import { CarrierRegistry } from '../../../../src/features/phone-numbers/carrier-registry.js';
import { DialBlocklist } from '../../../../src/features/phone-numbers/dial-blocklist.js';
import { GatewaysRepository } from '../../../../src/platform/cluster/gateways.repository.js';
import { PeerClient } from '../../../../src/platform/cluster/peer-client.js';
import { PeerKeys } from '../../../../src/platform/cluster/peer-tls.js';
import { SecretKeys } from '../../../../src/platform/secrets/secret-keys.js';
import { OVERRIDES } from './webhook-app.js';

export interface OutboundOptions {
  readonly twilioUrl: () => string;
  readonly twilioToken?: string | undefined;
  readonly origin: () => string | undefined;
  readonly slots?: number;
  readonly isOpen?: () => boolean;
}

/** The services for outbound calls on a database, without a gateway that runs the calls. */
export function outboundOf(db: Knex, options: OutboundOptions) {
  const settings = {
    TWILIO_ACCOUNT_SID: 'AC0001',
    TWILIO_AUTH_TOKEN: options.twilioToken,
    TWILIO_BASE_URL: options.twilioUrl(),
    TELNYX_API_KEY: undefined,
    TELNYX_BASE_URL: 'http://127.0.0.1:1',
  };
  const twilio = createTwilioClient(settings);
  const calls = new CallsRepository(db, options.slots ?? 0);
  const live = new CallRegistry();
  const commands = new CallCommandService({
    calls,
    gateways: new GatewaysRepository(db),
    peers: new PeerClient(new PeerKeys(new SecretKeys(['a secret without other gateways']))),
    registry: live,
    log: pino({ level: 'silent' }),
    onReservedEnded: (callId) => void outbound.stop(callId),
  });
  const load = {
    get admitsCalls() {
      return options.isOpen?.() ?? true;
    },
  };
  const slots = new CallSlots({ calls, registry: live, load, warmCaches: async () => undefined });
  const outbound = new OutboundCallService({
    calls,
    slots,
    commands,
    overrides: OVERRIDES,
    carriers: new CarrierRegistry(settings),
    dialers: twilio ? { twilio: new TwilioDialer(twilio, options.origin) } : {},
    blocklist: new DialBlocklist(DEFAULT_BLOCKLIST),
    numbers: new NumberOwnership(db),
  });
  const agents = new AgentsRepository(db);
  return { calls, live, commands, slots, outbound, routes: outboundRoutes({ agents, outbound }) };
}
