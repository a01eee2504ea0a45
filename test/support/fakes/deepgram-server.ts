import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A line as the server sees it. */
export interface ServedLine {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly socket: WebSocket;
  /** Bytes of audio. */
  bytes: number;
  /** The types of the text messages. */
  readonly told: string[];
}

/** Deepgram's live endpoint on the loopback: its wire, and results that a test makes up. */
export class DeepgramServer {
  readonly lines: ServedLine[] = [];
  /** Refuses new lines with this status. */
  refuses: number | undefined;
  /** What it has heard when it is asked to finalise. */
  hears = 'where is my order';
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

  /** Sends a result that ends where the audio does; `more` changes it. */
  result(line: ServedLine, transcript: string, more: object = {}): void {
    const duration = line.bytes / 2 / 16_000;
    const alternatives = [{ transcript, confidence: 0.9, words: [], languages: ['en'] }];
    line.socket.send(
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
    for (const { socket } of this.lines) socket.terminate();
    this.#sockets.close();
    this.#http.closeAllConnections();
    this.#http.close();
  }

  #listen(): void {
    this.#http.on('upgrade', (request, socket, head) => {
      if (this.refuses !== undefined) {
        socket.end(`HTTP/1.1 ${this.refuses} Refused\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        this.#serve({ url, headers: request.headers, socket: opened, bytes: 0, told: [] });
      });
    });
    this.#http.listen(0, '127.0.0.1');
  }

  #serve(line: ServedLine): void {
    this.lines.push(line);
    line.socket.send(JSON.stringify({ type: 'Metadata', request_id: 'x' }));
    line.socket.on('message', (data, isBinary) => {
      if (isBinary) {
        line.bytes += (data as Buffer).length;
        return;
      }
      const { type } = JSON.parse(String(data)) as { type: string };
      line.told.push(type);
      if (type === 'Finalize') {
        this.result(line, this.hears, { is_final: true, from_finalize: true });
      }
      if (type === 'CloseStream') line.socket.close(1000);
    });
  }
}
