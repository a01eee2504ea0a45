import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as received. */
export interface ReceivedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON body; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was sent
  readonly body: any;
  readonly atMs: number;
}

export type ResponseHandler = (response: ServerResponse, request: ReceivedRequest) => unknown;

/** An HTTP server on loopback that records requests and sends scripted responses. */
export class WebhookReceiver {
  readonly requests: ReceivedRequest[] = [];
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #answering: ResponseHandler[] = [];

  /** Default host: 127.0.0.1. A fixed port allows a restart at the same address. */
  static async open(host = '127.0.0.1', port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
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

  /** Handlers for the next requests, one each; later requests get a 200. */
  answer(...answering: ResponseHandler[]): void {
    this.#answering = answering;
  }

  /** Waits until `count` requests have arrived. */
  async waitFor(count: number, withinMs = 25_000): Promise<readonly ReceivedRequest[]> {
    const deadline = Date.now() + withinMs;
    while (this.requests.length < count) {
      if (Date.now() > deadline) {
        const seen = this.requests.map(({ path, body }) => `${path} ${body?.event}`).join(', ');
        throw new Error(`Expected ${count} requests within ${withinMs} ms; got: ${seen || 'none'}`);
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
    const received: ReceivedRequest = {
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

/** Responds with a status, a body and headers. */
export function status(
  code: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): ResponseHandler {
  return (response) =>
    response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Never responds. */
export const hang: ResponseHandler = () => undefined;

/** Closes the connection before the announced body is complete. */
export const closeEarly: ResponseHandler = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('only this');
  setTimeout(() => response.destroy(), 20);
};

/** Closes the connection without a response. */
export const closeImmediately: ResponseHandler = (response) => response.destroy();

/** Sends 1 GiB as fast as the client reads; `sent.bytes` counts the bytes written. */
export function gigabyte(sent: { bytes: number }): ResponseHandler {
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
