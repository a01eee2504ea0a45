import { once } from 'node:events';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import type { PeerKeys } from './peer-tls.js';

/** Maximum number of open connections from all other gateways together. */
const MAX_CONNECTIONS = 10_000;
/** Time for the TLS handshake. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Time for a client to send its request. */
const REQUEST_TIMEOUT_MS = 10_000;
/** The status for a request that is for another gateway. */
export const MISDIRECTED_REQUEST = 421;

/** The gateway that a request is for. Its address may belong to another gateway in the meantime. */
export const GATEWAY_HEADER = 'x-parley-gateway';
/** The address of the client whose WebSocket a gateway forwards. */
export const CLIENT_ADDRESS_HEADER = 'x-parley-client-address';

export interface PeerServerParts {
  readonly gatewayId: string;
  readonly keys: PeerKeys;
  readonly log: Logger;
}

/** A client's WebSocket upgrade, forwarded by another gateway. */
export type ForwardedUpgrade = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  clientAddress: string,
) => void;

/** The API of this gateway for other gateways, which must have one of our keys. */
export class PeerServer {
  readonly #parts: PeerServerParts;
  readonly #app = express();
  readonly #server: Server;
  readonly #upgraded = new Set<Duplex>();
  #onUpgrade: ForwardedUpgrade = (_request, socket) => socket.destroy();

  constructor(parts: PeerServerParts) {
    this.#parts = parts;
    this.#app.disable('x-powered-by').use((request, response, next) => {
      if (this.#isForThisGateway(request)) next();
      else response.status(MISDIRECTED_REQUEST).end();
    });
    const options = {
      ...parts.keys.serverOptions,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    };
    this.#server = createServer(options, this.#app);
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('tlsClientError', (error) =>
      parts.log.warn(
        { err: error },
        'Refused a connection to the peer API: all gateways need the same SECRET_KEY',
      ),
    );
    this.#server.on('upgrade', (...upgrade) => this.#receiveUpgrade(...upgrade));
  }

  /**
   * @param address - `host` or `host:port` of this machine. Without a port, any free port is used.
   * @returns `host:port`
   */
  async listen(address: string): Promise<string> {
    const { host, port } = splitAddress(address);
    // Each process of a cluster needs its own port. Without `exclusive`, they would share one.
    this.#server.listen({ host, port, exclusive: true });
    await once(this.#server, 'listening');
    const bound = this.#server.address() as AddressInfo;
    return `${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
  }

  /** Adds routes. */
  addRoutes(routes: RequestHandler): void {
    this.#app.use(routes, (error: unknown, _: Request, response: Response, next: NextFunction) => {
      this.#parts.log.warn({ err: error }, 'Cannot serve a request of another gateway');
      if (response.headersSent) response.destroy();
      else if (isHttpError(error)) response.status(error.status).end();
      else next(error);
    });
  }

  setUpgradeListener(listener: ForwardedUpgrade): void {
    this.#onUpgrade = listener;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
    await closed;
  }

  #isForThisGateway({ headers }: IncomingMessage): boolean {
    return headers[GATEWAY_HEADER] === this.#parts.gatewayId;
  }

  #receiveUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    const address = request.headers[CLIENT_ADDRESS_HEADER];
    if (this.#isForThisGateway(request) && typeof address === 'string') {
      this.#onUpgrade(request, socket, head, address);
      return;
    }
    socket.on('error', () => socket.destroy());
    socket.end(
      `HTTP/1.1 ${MISDIRECTED_REQUEST} ${STATUS_CODES[MISDIRECTED_REQUEST]}\r\nConnection: close\r\n\r\n`,
    );
  }
}

/** An error of a body parser, such as a body that is too large. */
function isHttpError(error: unknown): error is Error & { readonly status: number } {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}

/** `10.0.0.5`, `10.0.0.5:7001`, `[::1]:7001` */
function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^\[?(.+?)\]?(?::(\d{1,5}))?$/.exec(address) ?? [];
  return { host: host ?? address, port: Number(port ?? 0) };
}
