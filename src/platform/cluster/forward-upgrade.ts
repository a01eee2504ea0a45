import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import type { ClientUpgrade } from '../http/websocket-router.js';
import type { GatewaysRepository } from './gateways.repository.js';
import { gatewayUnreachable, type PeerClient } from './peer-client.js';
import { CLIENT_ADDRESS_HEADER, MISDIRECTED_REQUEST } from './peer-server.js';

/** Interval of TCP keep-alive probes to the other gateway, ms. */
const KEEP_ALIVE_MS = 15_000;
/** The only headers of the client that the other gateway receives. */
const HANDSHAKE_HEADERS = [
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
] as const;

/**
 * Connects a client's WebSocket to the gateway that holds its call. Bytes are piped in both
 * directions, and a slow side slows the other one down. Resolves when the other gateway has accepted
 * or refused, and the client has received the answer.
 * @throws ApiError GATEWAY_UNREACHABLE
 */
export async function forwardUpgrade(
  peers: PeerClient,
  gateways: Pick<GatewaysRepository, 'find'>,
  gatewayId: string,
  { request, socket, head, requestId, clientAddress }: ClientUpgrade,
): Promise<void> {
  const gateway = await gateways.find(gatewayId);
  if (!gateway) throw gatewayUnreachable();
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    [CLIENT_ADDRESS_HEADER]: clientAddress,
  };
  for (const name of HANDSHAKE_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const peerRequest = peers.startRequest(gateway, { path: request.url ?? '/', headers });
  socket.once('close', () => peerRequest.destroy());
  await new Promise<void>((resolve, reject) => {
    peerRequest.on('error', (error) => reject(gatewayUnreachable(error)));
    peerRequest.on('response', (response) => {
      if (response.statusCode === MISDIRECTED_REQUEST) {
        response.resume();
        reject(gatewayUnreachable());
        return;
      }
      writeHead(socket, response);
      pipeline(response, socket, () => undefined);
      resolve();
    });
    peerRequest.on('upgrade', (response, peerSocket, peerHead) => {
      peerSocket.setNoDelay(true);
      peerSocket.setKeepAlive(true, KEEP_ALIVE_MS);
      writeHead(socket, response);
      socket.write(peerHead);
      peerSocket.write(head);
      pipeline(socket, peerSocket, socket, () => {
        peerSocket.destroy();
        socket.destroy();
      });
      resolve();
    });
  });
}

/** Forwards the status and the headers of the other gateway's response to the client. */
function writeHead(socket: Duplex, { statusCode, statusMessage, rawHeaders }: IncomingMessage) {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
}
