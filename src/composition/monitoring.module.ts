import type { Logger } from 'pino';
import type { AudioEncoders } from '../calls/monitoring/audio-mixer.js';
import { EventSubscriber } from '../calls/monitoring/event-subscriber.js';
import { LiveEventBus } from '../calls/monitoring/live-event-bus.js';
import { liveRoutes } from '../calls/monitoring/monitoring.routes.js';
import { peerStreams } from '../calls/monitoring/peer-streams.js';
import { StreamSessions } from '../calls/monitoring/stream-sessions.js';
import type { CallTurnsRepository } from '../calls/store/call-turns.repository.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { ChangeNotices } from '../platform/cluster/change-notices.js';
import type { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import type { PeerClient } from '../platform/cluster/peer-client.js';
import type { PeerServer } from '../platform/cluster/peer-server.js';
import type { Authenticator } from '../platform/http/bearer-credentials.js';
import type { Route } from '../platform/http/route.js';

export interface MonitoringParts {
  readonly gatewayId: string;
  readonly gateways: GatewaysRepository;
  readonly calls: CallsRepository;
  readonly turns: CallTurnsRepository;
  readonly peerClient: PeerClient;
  readonly peerServer: PeerServer;
  readonly changes: ChangeNotices;
  readonly keys: Authenticator;
  readonly encoders: AudioEncoders;
  readonly log: Logger;
  /** Keep-alive interval of a stream, in milliseconds. */
  readonly beatMs?: number;
  /** How often the API keys of open streams are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number;
  /** Streams end when a gateway has been unreachable for this long, ms. Default: 30,000. */
  readonly unreachableMs?: number;
}

/** Live events and audio of running calls. */
export interface MonitoringModule {
  readonly hub: LiveEventBus;
  /** How many streams of an account are open at this gateway. */
  streams(accountId: string): number;
  readonly routes: readonly Route[];
  /** Ends all streams. */
  close(): void;
}

export function createMonitoringModule(parts: MonitoringParts): MonitoringModule {
  const hub = new LiveEventBus();
  const common = { ...parts, hub, peers: parts.peerClient };
  const follower = new EventSubscriber(common);
  const sessions = new StreamSessions({ ...common, follower });
  parts.peerServer.serve(peerStreams(hub, parts.encoders));
  return {
    hub,
    streams: (accountId) => sessions.streams(accountId),
    routes: liveRoutes({ ...parts, sessions }),
    close() {
      sessions.close();
      hub.close();
    },
  };
}
