import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A connection, as the server sees it. */
export interface ServerConnection {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly socket: WebSocket;
  /** Audio bytes received. */
  bytes: number;
  /** Types of the text messages received, in order. */
  readonly messageTypes: string[];
}

/** Deepgram's streaming endpoint on loopback, with results that a test sets. */
export class DeepgramServer {
  readonly connections: ServerConnection[] = [];
  /** Rejects new connections with this HTTP status. */
  refusalStatus: number | undefined;
  /** The transcript returned for `Finalize`. */
  transcript = 'where is my order';
  readonly #http = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true });

  static async open(): Promise<DeepgramServer> {
    const server = new DeepgramServer();
    server.#listen();
    await once(server.#http, 'listening');
    return server;
  }

  get baseUrl(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Sends a result that ends with the received audio; `more` overrides its fields. */
  result(connection: ServerConnection, transcript: string, more: object = {}): void {
    const duration = connection.bytes / 2 / 16_000;
    const alternatives = [{ transcript, confidence: 0.9, words: [], languages: ['en'] }];
    connection.socket.send(
      JSON.stringify({
        type: 'Results',
        channel_index: [0, 1],
        start: 0,
        duration,
        is_final: false,
        speech_final: false,
        from_finalize: false,
        channel: { alternatives },
        ...more,
      }),
    );
  }

  close(): void {
    for (const { socket } of this.connections) socket.terminate();
    this.#sockets.close();
    this.#http.closeAllConnections();
    this.#http.close();
  }

  #listen(): void {
    this.#http.on('upgrade', (request, socket, head) => {
      if (this.refusalStatus !== undefined) {
        socket.end(`HTTP/1.1 ${this.refusalStatus} Refused\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        this.#serve({ url, headers: request.headers, socket: opened, bytes: 0, messageTypes: [] });
      });
    });
    this.#http.listen(0, '127.0.0.1');
  }

  #serve(line: ServerConnection): void {
    this.connections.push(line);
    line.socket.send(JSON.stringify({ type: 'Metadata', request_id: 'x' }));
    line.socket.on('message', (data, isBinary) => {
      if (isBinary) {
        line.bytes += (data as Buffer).length;
        return;
      }
      const { type } = JSON.parse(String(data)) as { type: string };
      line.messageTypes.push(type);
      if (type === 'Finalize') {
        this.result(line, this.transcript, { is_final: true, from_finalize: true });
      }
      if (type === 'CloseStream') line.socket.close(1000);
    });
  }
}
