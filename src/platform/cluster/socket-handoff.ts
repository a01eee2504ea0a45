import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A request for an upgrade, as it goes with its socket from one process to another. */
export interface HandedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** What came after the request's head, base64. */
  readonly rest: string;
}

/** A request for an upgrade that was handed on, as the HTTP server would have told of it. */
export interface HandedUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

/**
 * Prepares an upgrade's socket for another process. It is read no more, as what is read here is lost
 * there; what came already goes along.
 */
export function packUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): HandedRequest {
  const more: Buffer | null = stopReading(socket);
  // Else its server would wait, at its own end, for the end of the socket over there.
  Reflect.set(socket, 'server', null);
  const { method = 'GET', url = '/', headers } = request;
  const rest = Buffer.concat(more ? [head, more] : [head]).toString('base64');
  return { method, url, headers, rest };
}

/**
 * Node goes on reading ahead of a socket that is paused or being sent, and has no public way to stop
 * it. Source: lib/net.js and lib/internal/child_process.js of Node 20.
 */
export function stopReading(socket: Duplex): Buffer | null {
  const handle = Reflect.get(socket, '_handle') as { readStop?(): void } | null;
  handle?.readStop?.();
  return socket.read();
}

/** Makes the upgrade of it again; undefined when the client was gone before the socket came. */
export function unpackUpgrade(handed: HandedRequest, socket: unknown): HandedUpgrade | undefined {
  if (!(socket instanceof Socket)) return undefined;
  const request = new IncomingMessage(socket);
  const { method, url, headers, rest } = handed;
  Object.assign(request, { method, url, headers, httpVersion: '1.1' });
  return { request, socket, head: Buffer.from(rest, 'base64') };
}
