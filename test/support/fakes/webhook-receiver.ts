import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as a receiver of webhooks got it. */
export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined for none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was sent
  readonly body: any;
  readonly atMs: number;
}

export type Answering = (response: ServerResponse, request: Received) => unknown;

/** A real HTTP server on the loopback that remembers what it is sent, and answers as it is told. */
export class Receiver {
  readonly requests: Received[] = [];
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #answering: Answering[] = [];

  /** By default on 127.0.0.1; a fixed port lets it come back after it went. */
  static async open(host = '127.0.0.1', port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(port, host);
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:port/path`. */
  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The next requests are answered so, one after the other; those after them with 200. */
  answer(...answering: Answering[]): void {
    this.#answering = answering;
  }

  /** Waits until so many requests were received. */
  async waitFor(count: number, withinMs = 25_000): Promise<readonly Received[]> {
    const deadline = Date.now() + withinMs;
    while (this.requests.length < count) {
      if (Date.now() > deadline) {
        const seen = this.requests.map(({ path, body }) => `${path} ${body?.event}`).join(', ');
        throw new Error(`Not ${count} requests within ${withinMs} ms, but: ${seen || 'none'}`);
      }
      await sleep(10);
    }
    return this.requests;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isJson = request.headers['content-type']?.includes('application/json') && text !== '';
    const received: Received = {
      path: request.url ?? '',
      method: request.method ?? '',
      headers: request.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      atMs: Date.now(),
    };
    this.requests.push(received);
    const answering = this.#answering.shift();
    if (answering) answering(response, received);
    else response.end('{}');
  }
}

/** Answers a status, perhaps with a body and headers. */
export function status(
  code: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Answering {
  return (response) =>
    response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Never answers. */
export const hang: Answering = () => undefined;

/** Cuts the connection in the middle of the body that it announced. */
export const closeEarly: Answering = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('only this');
  setTimeout(() => response.destroy(), 20);
};

/** Cuts the connection without a word. */
export const closeAtOnce: Answering = (response) => response.destroy();

/** A gigabyte, as fast as it is taken; `sent` tells how much of it was. */
export function gigabyte(sent: { bytes: number }): Answering {
  const chunk = Buffer.alloc(65_536, 'x');
  return (response) => {
    response.writeHead(200, { 'content-length': String(2 ** 30) });
    const pump = () => {
      while (sent.bytes < 2 ** 30 && !response.destroyed) {
        sent.bytes += chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on('drain', pump).on('error', () => undefined);
    pump();
  };
}
