import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { CallError } from '../../../agents-runtime/contract/errors.js';
import {
  type Hello,
  parseClientMessage,
  TOKEN_SUBPROTOCOL,
} from '../../../agents-runtime/transports/websocket/protocol.js';
import { CALL_CLOSE_CODES } from '../../../agents-runtime/transports/websocket/websocket-transport.js';
import { offeredSubprotocols } from '../../platform/http/websocket-router.js';

/** Maximum length of the messages that wait for the call to start, bytes. */
const MAX_EARLY_BYTES = 64 * 1024;

/** Buffers the messages of a socket until the returned function emits them to the listeners of that time. */
export function bufferMessages(socket: WebSocket): () => void {
  const early: (readonly [RawData, boolean])[] = [];
  let bytes = 0;
  const keep = (data: RawData, isBinary: boolean) => {
    bytes += (data as Buffer).length;
    if (bytes > MAX_EARLY_BYTES)
      socket.close(CALL_CLOSE_CODES.policyViolation, 'too much came before ready');
    else early.push([data, isBinary]);
  };
  socket.on('message', keep);
  return () => {
    socket.off('message', keep);
    if (socket.readyState !== socket.OPEN) return;
    for (const [data, isBinary] of early) socket.emit('message', data, isBinary);
  };
}

/** The call id in the path of a call socket, which may end in a slash. */
export function callIdIn({ pathname }: URL): string {
  return pathname.replace(/\/$/, '').split('/').at(-2) ?? '';
}

export function readHello({
  data,
  isBinary,
}: {
  data: RawData;
  isBinary: boolean;
}): Hello | string {
  if (isBinary) return 'hello comes before audio';
  try {
    const message = parseClientMessage(data.toString());
    return message.type === 'hello' ? message : 'the first message is hello';
  } catch (error) {
    if (error instanceof CallError) return error.message;
    throw error;
  }
}

/** A token that was sent as a subprotocol, so that no log of URLs contains it. */
export function tokenOf(request: IncomingMessage): string | undefined {
  return offeredSubprotocols(request)
    .find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL))
    ?.slice(TOKEN_SUBPROTOCOL.length);
}
