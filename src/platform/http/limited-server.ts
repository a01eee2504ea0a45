import { createServer, type Server } from 'node:http';

/** Time in which a client must send the headers of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Interval between checks of this limit. */
const CHECK_INTERVAL_MS = 5_000;

export interface ServerLimits {
  /** Maximum number of open connections, including WebSockets. Further ones are closed at once. 0 = no limit. */
  readonly maxConnections: number;
  /** Milliseconds. Default: 10,000. */
  readonly headersTimeoutMs?: number;
}

/** An HTTP server that many idle or slow connections cannot exhaust. */
export function createLimitedServer(limits: ServerLimits): Server {
  const { maxConnections, headersTimeoutMs = HEADERS_TIMEOUT_MS } = limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
  });
  if (maxConnections > 0) server.maxConnections = maxConnections;
  return server;
}
