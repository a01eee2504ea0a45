import { createServer, type RequestListener, type Server } from 'node:http';

/** Slow senders of headers hold a connection this long, ms. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How often connections are checked for it, ms. */
const CHECK_INTERVAL_MS = 5_000;

export interface ServerLimits {
  /** Open connections, WebSockets included; further ones are closed at once. 0 = no limit. */
  readonly maxConnections: number;
  /** By default 10 s. */
  readonly headersTimeoutMs?: number;
}

/** An HTTP server that many idle or slow connections cannot exhaust. */
export function createLimitedServer(listener: RequestListener, limits: ServerLimits): Server {
  const { maxConnections, headersTimeoutMs = HEADERS_TIMEOUT_MS } = limits;
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
    },
    listener,
  );
  if (maxConnections > 0) server.maxConnections = maxConnections;
  return server;
}
