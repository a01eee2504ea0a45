import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { AgentsRepository } from '../../../../src/agents/agents.repository.js';
import { CallCommands } from '../../../../src/calls/call-commands.js';
import { CallCommandsRepository } from '../../../../src/calls/call-commands.repository.js';
import { CallSlots } from '../../../../src/calls/call-slots.js';
import { CallsRepository } from '../../../../src/calls/calls.repository.js';
import { LiveCalls } from '../../../../src/calls/live-calls.js';
import { outboundRoutes } from '../../../../src/calls/outbound.routes.js';
import { OutboundCalls } from '../../../../src/calls/outbound-calls.js';
import { REFUSED_BY_DEFAULT, RefusedNumbers } from '../../../../src/calls/refused-numbers.js';
import { Carriers } from '../../../../src/numbers/carriers.js';
import { NumberOwnership } from '../../../../src/numbers/number-ownership.js';
import { openDiallers } from '../../../../src/telephony/diallers.js';
import { OVERRIDES } from './webhook-app.js';

export interface OutboundOptions {
  readonly twilioUrl: () => string;
  readonly twilioToken?: string | undefined;
  readonly origin: () => string | undefined;
  readonly slots?: number;
  readonly isOpen?: () => boolean;
}

/** Calls out of a database, without gateways that hold them. */
export function outboundOf(db: Knex, options: OutboundOptions) {
  const settings = {
    TWILIO_ACCOUNT_SID: 'AC0001',
    TWILIO_AUTH_TOKEN: options.twilioToken,
    TWILIO_BASE_URL: options.twilioUrl(),
    TELNYX_API_KEY: undefined,
    TELNYX_BASE_URL: 'http://127.0.0.1:1',
  };
  const calls = new CallsRepository(db, options.slots ?? 0);
  const live = new LiveCalls();
  const commands = new CallCommands({
    db,
    gatewayId: randomUUID(),
    calls,
    commands: new CallCommandsRepository(db),
    live,
    log: pino({ level: 'silent' }),
    onWaitingEnded: (callId) => void outbound.stop(callId),
  });
  const load = {
    get isOpen() {
      return options.isOpen?.() ?? true;
    },
  };
  const slots = new CallSlots({ calls, live, load, expect: async () => undefined });
  const outbound = new OutboundCalls({
    calls,
    slots,
    commands,
    overrides: OVERRIDES,
    carriers: new Carriers(settings),
    diallers: openDiallers(settings, options.origin),
    refused: new RefusedNumbers(REFUSED_BY_DEFAULT),
    numbers: new NumberOwnership(db),
  });
  const agents = new AgentsRepository(db);
  return { calls, live, commands, slots, outbound, routes: outboundRoutes({ agents, outbound }) };
}
