import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { callCommandRoutes } from '../calls/commands/call-commands.routes.js';
import type { CallCommandService } from '../calls/commands/call-commands.service.js';
import type { AudioEncoders } from '../calls/monitoring/audio-mixer.js';
import { EventSubscriber } from '../calls/monitoring/event-subscriber.js';
import { LiveEventBus } from '../calls/monitoring/live-event-bus.js';
import { liveRoutes } from '../calls/monitoring/monitoring.routes.js';
import { peerStreams } from '../calls/monitoring/peer-streams.js';
import { RunningCallsRepository } from '../calls/monitoring/running-calls.repository.js';
import { StreamSessions } from '../calls/monitoring/stream-sessions.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { DialBlocklist } from '../features/phone-numbers/dial-blocklist.js';
import type { Authenticator } from '../platform/http/authenticate.js';
import type { Route } from '../platform/http/route.js';
import type { Peers } from './peers.module.js';

export interface LiveParts {
  readonly gatewayId: string;
  readonly db: Knex;
  readonly calls: Pick<CallsRepository, 'findEnded'>;
  readonly peers: Peers;
  readonly keys: Authenticator;
  readonly encoders: AudioEncoders;
  readonly log: Logger;
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
  /** Streams of an account that are open here. */
  streams(accountId: string): number;
  routes(
    commands: Pick<CallCommandService, 'say' | 'sendKeys' | 'transfer'>,
    refused: DialBlocklist,
  ): readonly Route[];
  /** Ends all streams. */
  close(): void;
}

export function openLive(parts: LiveParts): OpenLive {
  const { gatewayId, db, calls, keys, encoders, log, beatMs, keyCheckMs, unreachableMs } = parts;
  const { client, gateways, server } = parts.peers;
  const hub = new LiveEventBus();
  const running = new RunningCallsRepository(db);
  const common = { gatewayId, hub, peers: client, gateways, running };
  const follower = new EventSubscriber({ ...common, calls, log, unreachableMs });
  const desk = new StreamSessions({
    ...common,
    encoders,
    follower,
    keys,
    keyCheckMs,
    ...(beatMs && { beatMs }),
  });
  server.serve(peerStreams(hub, encoders));
  return {
    hub,
    streams: (accountId) => desk.streams(accountId),
    routes: (commands, refused) => [
      ...liveRoutes({ running, desk, commands }),
      ...callCommandRoutes({ running, commands, refused }),
    ],
    close() {
      desk.close();
      hub.close();
    },
  };
}
