import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A form that the carrier posted. */
interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
}

export interface ScriptedGateway {
  readonly url: string;
  readonly posted: readonly Posted[];
  /** Headers of the upgrades. */
  readonly upgrades: readonly IncomingHttpHeaders[];
  /** What came over the media sockets, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was sent
  readonly heard: readonly any[];
  close(): void;
}

/**
 * A gateway that says what a test scripts: the n-th post is answered by the n-th answer, and later
 * ones by an empty 200; `STREAM` in an answer becomes the address of its media socket.
 */
export async function startScriptedGateway(
  answers: readonly string[],
  talk: (socket: WebSocket, streamSid: string) => void = () => undefined,
): Promise<ScriptedGateway> {
  const posted: Posted[] = [];
  const upgrades: IncomingHttpHeaders[] = [];
  const heard: unknown[] = [];
  const server = createHttpServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
    const answer = answers[posted.length] ?? '';
    posted.push({ path: request.url ?? '', headers: request.headers, form });
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(answer.replaceAll('STREAM', `ws://127.0.0.1:${port}/stream/token`));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    upgrades.push(request.headers);
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      heard.push(message);
      if (message.event === 'start') talk(socket, message.streamSid);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posted,
    upgrades,
    heard,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A TCP server that does with each connection what a test scripts. */
export async function startScriptedTcp(talk: (socket: Socket) => void) {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
