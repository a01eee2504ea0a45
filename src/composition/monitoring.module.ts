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
  readonly authenticator: Authenticator;
  readonly encoders: AudioEncoders;
  readonly log: Logger;
  /** Keep-alive interval of a stream, ms. Default: 15,000. */
  readonly keepAliveMs?: number;
  /** How often the API keys of open streams are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number;
  /** Streams end when a gateway has been unreachable for this long, ms. Default: 30,000. */
  readonly unreachableMs?: number;
}

/** Live events and audio of running calls. */
export interface MonitoringModule {
  readonly eventBus: LiveEventBus;
  /** How many streams of an account are open at this gateway. */
  countStreams(accountId: string): number;
  readonly routes: readonly Route[];
  /** Ends all streams. */
  close(): void;
}

export function createMonitoringModule(parts: MonitoringParts): MonitoringModule {
  const eventBus = new LiveEventBus();
  const common = { ...parts, eventBus, peers: parts.peerClient };
  const subscriber = new EventSubscriber(common);
  const streamSessions = new StreamSessions({ ...common, subscriber });
  parts.peerServer.addRoutes(peerStreams(eventBus, parts.encoders));
  return {
    eventBus,
    countStreams: (accountId) => streamSessions.countStreams(accountId),
    routes: liveRoutes({ ...parts, streamSessions }),
    close() {
      streamSessions.close();
      eventBus.close();
    },
  };
}
