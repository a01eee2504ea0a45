import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { callCommandRoutes } from '../calls/commands/call-commands.routes.js';
import type { CallCommandService } from '../calls/commands/call-commands.service.js';
import type { AudioEncoders } from '../calls/monitoring/audio-mixer.js';
import { EventSubscriber } from '../calls/monitoring/event-subscriber.js';
import { LiveEventBus } from '../calls/monitoring/live-event-bus.js';
import { liveRoutes } from '../calls/monitoring/monitoring.routes.js';
import { RunningCallsRepository } from '../calls/monitoring/running-calls.repository.js';
import { StreamSessions } from '../calls/monitoring/stream-sessions.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { DialBlocklist } from '../features/phone-numbers/dial-blocklist.js';
import { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import { PeerClient } from '../platform/cluster/peer-client.js';
import { PeerServer } from '../platform/cluster/peer-server.js';
import { PeerTokens } from '../platform/cluster/peer-tokens.js';
import type { Authenticator } from '../platform/http/authenticate.js';
import type { Route } from '../platform/http/route.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface LiveParts {
  readonly gatewayId: string;
  readonly db: Knex;
  readonly calls: Pick<CallsRepository, 'findEnded'>;
  readonly secrets: SecretKeys;
  readonly keys: Authenticator;
  readonly encoders: AudioEncoders;
  readonly log: Logger;
  /** Where other gateways reach this one; undefined where there can be none. */
  readonly address: string | undefined;
  /** Between signs that a stream lives. */
  readonly beatMs?: number;
  /** How often the API keys of open streams are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number;
  /** A gateway that is not reached for so long is given up. */
  readonly unreachableMs?: number;
}

/** Watching calls while they run, put together. */
export interface OpenLive {
  readonly hub: LiveEventBus;
  /** Lets other gateways in. @returns the `host:port` that they are told, where there can be any. */
  start(): Promise<string | undefined>;
  /** Streams of an account that are open here. */
  streams(accountId: string): number;
  routes(
    commands: Pick<CallCommandService, 'say' | 'sendKeys' | 'transfer'>,
    refused: DialBlocklist,
  ): readonly Route[];
  /** Sends who watches away. */
  close(): Promise<void>;
}

export function openLive(parts: LiveParts): OpenLive {
  const { gatewayId, db, calls, secrets, keys, encoders, log, address, beatMs, unreachableMs } =
    parts;
  const hub = new LiveEventBus();
  const tokens = new PeerTokens(secrets);
  const running = new RunningCallsRepository(db);
  const gateways = new GatewaysRepository(db);
  let server: PeerServer | undefined;
  const links = new PeerClient(tokens);
  const follower = new EventSubscriber({
    gatewayId,
    hub,
    links,
    gateways,
    running,
    calls,
    log,
    unreachableMs,
  });
  const desk = new StreamSessions({
    ...{
      gatewayId,
      hub,
      links,
      encoders,
      follower,
      gateways,
      running,
      keys,
      keyCheckMs: parts.keyCheckMs,
    },
    ...(beatMs && { beatMs }),
  });
  return {
    hub,
    async start() {
      if (address === undefined) return undefined;
      server = await PeerServer.open({ gatewayId, address, hub, encoders, tokens, log });
      return server.address;
    },
    streams: (accountId) => desk.streams(accountId),
    routes: (commands, refused) => [
      ...liveRoutes({ running, desk, commands }),
      ...callCommandRoutes({ running, commands, refused }),
    ],
    async close() {
      desk.close();
      hub.close();
      const closing = server?.close();
      server = undefined;
      await closing;
    },
  };
}
