import type { Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { LimitSettings } from '../config/limits.settings.js';
import { forwardUpgrade } from '../platform/cluster/forward-upgrade.js';
import type { GatewaysRepository } from '../platform/cluster/gateways.repository.js';
import type { PeerClient } from '../platform/cluster/peer-client.js';
import type { PeerServer } from '../platform/cluster/peer-server.js';
import type { Authenticator } from '../platform/http/bearer-credentials.js';
import { IdempotencyService } from '../platform/http/idempotency.js';
import { IdempotencyRepository } from '../platform/http/idempotency.repository.js';
import { createLimitedServer } from '../platform/http/limited-server.js';
import { listen, stopListening } from '../platform/http/listen.js';
import type { RateLimiter } from '../platform/http/rate-limit.js';
import type { Route } from '../platform/http/route.js';
import { type SocketRoute, WebSocketRouter } from '../platform/http/websocket-router.js';
import type { HealthPart } from '../platform/observability/health.js';
import type { Metrics } from '../platform/observability/metrics.js';
import type { Shutdown } from '../platform/process/shutdown.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { addressIn, createApp } from '../server.js';

export interface HttpParts {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly server: Server;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly metrics: Metrics;
  readonly gateways: GatewaysRepository;
  readonly peerClient: PeerClient;
  readonly peerServer: PeerServer;
  /** Everything below `/api/v1`. */
  readonly routes: readonly Route[];
  /** Handlers outside of `/api/v1`: webhooks of carriers and of LiveKit. */
  readonly carrierWebhooks: readonly RequestHandler[];
  readonly sockets: readonly SocketRoute[];
  readonly health: readonly HealthPart[];
}

/**
 * Time for requests in progress at a stop. It applies only if calls have ended early; otherwise, the limit
 * of the whole shutdown cuts the requests off.
 */
const REQUESTS_END_WITHIN_MS = 10_000;

export interface ServerParts {
  readonly config: LimitSettings;
  readonly log: Logger;
  readonly shutdown: Shutdown;
}

/**
 * Creates the HTTP server of all routes and sockets. Call this before modules that hold streams are
 * created: parts close in the reverse order, so streams end before the server waits for its requests.
 */
export function createHttpServer({ config, log, shutdown }: ServerParts): Server {
  const server = createLimitedServer({ maxConnections: config.MAX_CONNECTIONS });
  shutdown.add('server', () => {
    log.info('Stopping the HTTP server');
    return stopListening(server, REQUESTS_END_WITHIN_MS);
  });
  return server;
}

/** Connects the server with routes and sockets. */
export function createHttpModule(parts: HttpParts) {
  const { config, shutdown, server } = parts;
  const app = createApp({
    ...parts,
    idempotency: new IdempotencyService(new IdempotencyRepository(parts.db), parts.box),
    maxBodyBytes: config.MAX_BODY_BYTES,
    trustProxy: config.TRUST_PROXY,
    publicUrl: config.PUBLIC_URL,
    metricsToken: config.METRICS_TOKEN,
  });
  const sockets = new WebSocketRouter(parts.sockets, {
    ...parts,
    addressOf: addressIn(app),
    forward: (...upgrade) => forwardUpgrade(parts.peerClient, parts.gateways, ...upgrade),
  });
  shutdown.add('sockets', () => sockets.close());
  parts.peerServer.setUpgradeListener(sockets.handleForwarded);
  server.on('request', app);
  server.on('upgrade', sockets.handle);
  return {
    /** @returns the port. @throws StartError */
    listen: () => listen(server, config.HOST, config.PORT),
  };
}
