import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError } from './api-error.js';
import { type Authenticator, bearerOf, requireScope, unauthorized } from './bearer-credentials.js';
import { CLOSE_CODES } from './close-codes.js';
import { type WatchedCredential, watchCredential } from './credential-watch.js';
import { statusOf } from './error-codes.js';
import { errorBody } from './error-handler.js';
import { PathTemplate } from './path-template.js';
import type { RateLimiter } from './rate-limit.js';
import { requestIdOf } from './request-context.js';
import type { Principal } from './route.js';
import { notFound } from './router.js';
import type { RouteScope } from './scopes.js';

/** The context of an open socket. */
export interface SocketContext {
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly requestId: string;
  readonly log: Logger;
  /** For sockets whose credential is in their first message. */
  readonly limiter: SocketLimiter;
}

/** Rate limits for the first message of a socket. */
interface SocketLimiter {
  /**
   * Counts the socket as a request of its account, once its credential has been verified.
   * @throws ApiError RATE_LIMITED
   */
  countRequest(accountId: string): Promise<void>;
  /**
   * Counts an invalid credential as a failed authentication of the client's address.
   * @throws ApiError RATE_LIMITED
   */
  countFailedAuth(): Promise<void>;
}

/** The account of an upgrade and the gateway that serves it. */
export interface UpgradeTarget extends Principal {
  /** The only gateway that can serve the socket. */
  readonly heldBy?: string | undefined;
}

/** One path of WebSockets. */
export interface SocketRoute {
  /** The whole path, parameters in braces. */
  readonly path: string;
  readonly scope: RouteScope | 'any';
  /** For sockets with their own credential, such as the token of a call, instead of an API key. */
  readonly authenticate?: (
    request: IncomingMessage,
    url: URL,
  ) => Promise<UpgradeTarget | undefined>;
  /**
   * The credential is in the first message. Until then the principal is not verified, so the upgrade is
   * counted by address; `open` verifies the credential and counts it by `limiter`.
   */
  readonly isVerifiedByFirstMessage?: boolean;
  /** The required WebSocket subprotocol. Other offered ones are not selected. */
  readonly subprotocol?: string;
  /** Largest message, bytes. A larger one closes the socket with 1009. */
  readonly maxMessageBytes: number;
  readonly open: (socket: WebSocket, context: SocketContext) => void;
}

/** A client's upgrade for another gateway. */
export interface ClientUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes after the request. */
  readonly head: Buffer;
  readonly requestId: string;
  readonly clientAddress: string;
}

export interface UpgradeServices {
  readonly authenticator: Authenticator;
  /** Upgrades and requests share their limits. */
  readonly limiter: RateLimiter;
  /** The client's address, as seen through trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string;
  /**
   * Connects an upgrade to another gateway. Default: it is answered here.
   * @throws ApiError GATEWAY_UNREACHABLE
   */
  readonly forward?: (gatewayId: string, upgrade: ClientUpgrade) => Promise<void>;
  readonly log: Logger;
  /** How often the API keys of open sockets are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number | undefined;
}

/** Time for a client with a revoked key to answer the close frame. */
const MAX_CLOSING_MS = 1_000;

interface Entry {
  readonly route: SocketRoute;
  readonly template: PathTemplate;
  readonly server: WebSocketServer;
}

/** Routes `upgrade` events to their socket routes. Rejected upgrades get an HTTP response. */
export class WebSocketRouter {
  readonly #entries: readonly Entry[];
  readonly #services: UpgradeServices;
  /** Additional headers of the handshake: the request id and the remaining requests. */
  readonly #handshakeHeaders = new WeakMap<IncomingMessage, Map<string, string>>();
  /** Sockets of clients whose upgrade was forwarded. */
  readonly #forwarded = new Set<Duplex>();
  #isClosed = false;

  constructor(routes: readonly SocketRoute[], services: UpgradeServices) {
    this.#services = services;
    this.#entries = routes.map((route) => ({
      route,
      template: new PathTemplate(route.path),
      server: new WebSocketServer({
        noServer: true,
        maxPayload: route.maxMessageBytes,
        perMessageDeflate: false,
        clientTracking: true,
        ...(route.subprotocol !== undefined && { handleProtocols: () => route.subprotocol! }),
      }).on('headers', (lines, request) => {
        for (const [name, value] of this.#handshakeHeaders.get(request) ?? [])
          lines.push(`${name}: ${value}`);
      }),
    }));
  }

  /** For `server.on('upgrade', …)`. */
  readonly handle = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    this.#handle(request, socket, head);

  /** Receives an upgrade that another gateway admitted and forwarded. */
  readonly handleForwarded = (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    clientAddress: string,
  ): void => this.#handle(request, socket, head, clientAddress);

  #handle(request: IncomingMessage, socket: Duplex, head: Buffer, forwardedFor?: string): void {
    const requestId = requestIdOf(request);
    this.#handshakeHeaders.set(request, new Map([['X-Request-Id', requestId]]));
    const log = this.#services.log.child({ requestId });
    const onSocketError = () => socket.destroy();
    socket.on('error', onSocketError);
    const clientAddress = forwardedFor ?? this.#services.addressOf(request);
    const isForwarded = forwardedFor !== undefined;
    this.#admit(request, clientAddress, isForwarded)
      .then(async ({ entry, principal, url }) => {
        if (this.#isClosed || socket.destroyed) {
          socket.destroy();
          return;
        }
        if (principal.heldBy !== undefined && this.#services.forward && !isForwarded) {
          this.#forwarded.add(socket);
          socket.once('close', () => this.#forwarded.delete(socket));
          const upgrade = { request, socket, head, requestId, clientAddress };
          await this.#services.forward(principal.heldBy, upgrade);
          log.info({ route: entry.route.path }, 'Forwarded a socket to another gateway');
          return;
        }
        socket.off('error', onSocketError);
        entry.server.handleUpgrade(request, socket, head, (webSocket) => {
          // Without a listener, a protocol error would end the process. The close event follows it.
          webSocket.on('error', (error) => log.debug({ err: error }, 'Error in a socket'));
          log.info({ route: entry.route.path }, 'Opened a socket');
          if (!entry.route.authenticate) {
            this.#closeWhenRevoked(webSocket, {
              principal,
              request,
              scope: entry.route.scope,
              log,
            });
          }
          const limiter = this.#limiterOf(clientAddress);
          entry.route.open(webSocket, { principal, request, url, requestId, log, limiter });
        });
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) log.error({ err: error }, 'An upgrade failed');
        const known =
          error instanceof ApiError
            ? error
            : new ApiError('INTERNAL_ERROR', 'Something went wrong on our side');
        refuse(socket, known, this.#headersOf(request));
      });
  }

  /** Sockets that are open now. */
  get openSockets(): number {
    return this.#entries.reduce((count, { server }) => count + server.clients.size, 0);
  }

  /**
   * Accepts no more upgrades and closes the open sockets. Clients of forwarded sockets can resume
   * their calls through another gateway.
   */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#forwarded) socket.destroy();
    for (const { server } of this.#entries) {
      for (const client of server.clients)
        client.close(CLOSE_CODES.goingAway, 'server is stopping');
      server.close();
    }
  }

  async #admit(request: IncomingMessage, address: string, isForwarded: boolean) {
    const url = new URL(`http://localhost${pathOf(request)}`);
    const entry = this.#entries.find(({ template }) => template.matches(url.pathname));
    if (!entry) throw notFound();
    const { route } = entry;
    requireSubprotocol(request, route);
    const { limiter } = this.#services;
    const isCounted = !isForwarded;
    if (isCounted && route.isVerifiedByFirstMessage) await limiter.countUpgrade(address);
    const principal = await this.#principalOf(route, request, url);
    if (!principal) {
      if (isCounted) await limiter.countFailedAuth(address);
      throw unauthorized(route.isVerifiedByFirstMessage ? 'call' : 'wrong');
    }
    requireScope(principal, route.scope);
    if (isCounted && !route.isVerifiedByFirstMessage) {
      const headers = this.#handshakeHeaders.get(request) ?? new Map<string, string>();
      await limiter.countRequest(principal.accountId, headers);
    }
    return { entry, principal, url };
  }

  /** Closes a socket when the API key that opened it is deleted, expires or loses the scope. */
  #closeWhenRevoked(
    webSocket: WebSocket,
    opened: Pick<WatchedCredential, 'principal' | 'request' | 'scope'> & { readonly log: Logger },
  ): void {
    const { authenticator, keyCheckMs: checkMs } = this.#services;
    const onRevoked = () => {
      opened.log.info(
        { keyId: opened.principal.keyId },
        'Closed a socket, because its API key was revoked',
      );
      webSocket.close(
        CLOSE_CODES.policyViolation,
        'the API key is no longer valid for this socket',
      );
      const limit = setTimeout(() => webSocket.terminate(), MAX_CLOSING_MS);
      webSocket.once('close', () => clearTimeout(limit));
    };
    webSocket.once('close', watchCredential({ ...opened, authenticator, checkMs, onRevoked }));
  }

  #principalOf(
    route: SocketRoute,
    request: IncomingMessage,
    url: URL,
  ): Promise<UpgradeTarget | undefined> {
    if (route.authenticate) return route.authenticate(request, url);
    const bearer = bearerOf(request);
    if (bearer === undefined) throw unauthorized('missing');
    return this.#services.authenticator.authenticate(bearer);
  }

  #limiterOf(address: string): SocketLimiter {
    const { limiter } = this.#services;
    return {
      // The handshake is over, so the headers about the limit cannot be sent.
      countRequest: (accountId) => limiter.countRequest(accountId, new Map()),
      countFailedAuth: () => limiter.countFailedAuth(address),
    };
  }

  #headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#handshakeHeaders.get(request) ?? []);
  }
}

/** Accepts only paths with one slash at the start. After two slashes, the rest would be a host. */
function pathOf(request: IncomingMessage): string {
  const path = request.url ?? '/';
  if (!path.startsWith('/') || path.startsWith('//')) throw notFound();
  return path;
}

/** The subprotocols that a client offers. */
export function offeredSubprotocols({ headers }: IncomingMessage): readonly string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

function requireSubprotocol(request: IncomingMessage, { subprotocol }: SocketRoute): void {
  if (subprotocol === undefined || offeredSubprotocols(request).includes(subprotocol)) return;
  const sentence = `Connect with the WebSocket subprotocol "${subprotocol}"`;
  throw new ApiError('BAD_REQUEST', sentence);
}

function refuse(socket: Duplex, error: ApiError, more: Readonly<Record<string, string>>): void {
  if (socket.destroyed) return;
  const body = JSON.stringify(errorBody(error));
  const status = statusOf(error.code);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    ...more,
    Connection: 'close',
    ...(error.retryAfterS !== undefined && { 'Retry-After': String(error.retryAfterS) }),
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
