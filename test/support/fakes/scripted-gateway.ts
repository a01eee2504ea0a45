import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A form posted by the carrier. */
interface PostedForm {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
}

export interface ScriptedGateway {
  readonly url: string;
  readonly forms: readonly PostedForm[];
  /** Headers of the WebSocket upgrade requests. */
  readonly upgrades: readonly IncomingHttpHeaders[];
  /** Messages received over the media sockets, parsed from JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was sent
  readonly received: readonly any[];
  close(): void;
}

/**
 * A gateway with scripted answers: the n-th post gets the n-th answer and later posts get an empty
 * 200. `STREAM` in an answer is replaced by the URL of its media socket.
 */
export async function startScriptedGateway(
  answers: readonly string[],
  talk: (socket: WebSocket, streamSid: string) => void = () => undefined,
): Promise<ScriptedGateway> {
  const posted: PostedForm[] = [];
  const upgrades: IncomingHttpHeaders[] = [];
  const messages: unknown[] = [];
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
      messages.push(message);
      if (message.event === 'start') talk(socket, message.streamSid);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    forms: posted,
    upgrades,
    received: messages,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A TCP server that runs a test's script on each connection. */
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
