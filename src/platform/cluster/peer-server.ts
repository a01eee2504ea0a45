import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { AudioEncoders } from '../../calls/monitoring/audio-mixer.js';
import { listenInto } from '../../calls/monitoring/audio-response.js';
import type { LiveEventBus } from '../../calls/monitoring/live-event-bus.js';
import { bearerOf } from '../http/authenticate.js';
import { createLimitedServer } from '../http/limited-server.js';
import type { PeerRequest, PeerTokens } from './peer-tokens.js';

/** A line without anything says that the link lives. */
const PULSE_MS = 2_000;
/** A gateway that does not read is cut off when so much waits for it, bytes. */
const MAX_WAITING = 1024 * 1024;
/** Open links, of all gateways together. */
const MAX_LINKS = 10_000;

export interface PeerServerParts {
  readonly gatewayId: string;
  /** `host` or `host:port` of this machine; without a port any free one is taken. */
  readonly address: string;
  readonly hub: LiveEventBus;
  readonly encoders: AudioEncoders;
  readonly tokens: PeerTokens;
  readonly log: Logger;
}

/** Where other gateways, and nobody else, follow the calls that this one holds. */
export class PeerServer {
  readonly #parts: PeerServerParts;
  readonly #server: Server;
  readonly #host: string;

  private constructor(parts: PeerServerParts) {
    this.#parts = parts;
    this.#host = splitAddress(parts.address).host;
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch((error: unknown) => {
        parts.log.warn({ err: error }, 'a link from another gateway broke');
        response.destroy();
      });
    };
    this.#server = createLimitedServer(answer, { maxConnections: MAX_LINKS });
  }

  static async open(parts: PeerServerParts): Promise<PeerServer> {
    const opened = new PeerServer(parts);
    const { host, port } = splitAddress(parts.address);
    // Of a group each gateway has one of its own: cluster would share it.
    opened.#server.listen({ host, port, exclusive: true });
    await once(opened.#server, 'listening');
    return opened;
  }

  /** `host:port` */
  get address(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { tokens, gatewayId, hub, encoders } = this.#parts;
    const asked = await tokens.verify(bearerOf(request) ?? '', gatewayId);
    if (!asked) {
      response.writeHead(401).end();
      return;
    }
    const feed = asked.callId === undefined ? undefined : hub.find(asked.callId);
    const isHere = asked.callId === undefined || feed?.accountId === asked.accountId;
    if (asked.what === 'audio' && isHere && feed?.sound) {
      await listenInto(response, feed.sound, encoders);
      return;
    }
    if (!isHere || asked.what === 'audio') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    this.#sendEvents(asked, response);
  }

  #sendEvents({ accountId, callId }: PeerRequest, response: ServerResponse): void {
    const write = (line: string) => {
      if (response.writableEnded) return;
      if (response.writableLength > MAX_WAITING) response.destroy();
      else response.write(`${line}\n`);
    };
    const unwatch = this.#parts.hub.watch({
      accountId,
      callId,
      tell: (event) => {
        write(JSON.stringify(event));
        if (callId !== undefined && event.type === 'ended') response.end();
      },
      closed: () => response.end(),
    });
    const pulse = setInterval(() => write(''), PULSE_MS);
    response.once('close', () => {
      clearInterval(pulse);
      unwatch();
    });
  }
}

/** `10.0.0.5`, `10.0.0.5:7001`, `[::1]:7001` */
function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^\[?(.+?)\]?(?::(\d{1,5}))?$/.exec(address) ?? [];
  return { host: host ?? address, port: Number(port ?? 0) };
}
