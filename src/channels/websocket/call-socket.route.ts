import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import {
  type Hello,
  MAX_FRAME,
  SUBPROTOCOL,
} from '../../../agents-runtime/transports/websocket/protocol.js';
import {
  CALL_CLOSE_CODES,
  WebSocketTransport,
} from '../../../agents-runtime/transports/websocket/websocket-transport.js';
import type { CallTokens } from '../../calls/connection/call-tokens.js';
import { CALL_SOCKET_PATH } from '../../calls/connection/connection.service.js';
import { CallRegistry } from '../../calls/session/call-registry.js';
import type { CallSessionFactory, ClaimRefusal } from '../../calls/session/call-session.factory.js';
import type { CallSession } from '../../calls/session/call-session.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { ApiError } from '../../platform/http/api-error.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import type {
  SocketContext,
  SocketRoute,
  UpgradeTarget,
} from '../../platform/http/websocket-router.js';
import { bufferMessages, callIdIn, readHello, tokenOf } from './hello.js';

/** Close reasons. Other refusals are reported by their names. */
const CLOSE_REASONS: Readonly<Partial<Record<ClaimRefusal, string>>> = {
  draining: 'this gateway is about to stop: ask for another call',
  not_reserved: 'this token has been used, or its call has ended',
  no_agent: 'no such agent',
};
/** A socket without `hello` is closed after this time. */
const HELLO_MS = 5_000;

export interface CallSocketsParts {
  readonly gatewayId: string;
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly tokens: CallTokens;
  readonly registry: CallRegistry;
  readonly sessions: Pick<CallSessionFactory, 'claim'>;
}

/** The sockets of calls: a client joins with its token, or resumes a call whose socket broke. */
export class CallSockets {
  readonly #parts: CallSocketsParts;

  constructor(parts: CallSocketsParts) {
    this.#parts = parts;
  }

  get route(): SocketRoute {
    return {
      path: CALL_SOCKET_PATH,
      scope: 'any',
      authenticate: (_request, url) => this.#locate(url),
      isVerifiedByFirstMessage: true,
      subprotocol: SUBPROTOCOL,
      maxMessageBytes: MAX_FRAME,
      open: (socket, context) => this.#open(socket, context),
    };
  }

  /**
   * Finds the account and the gateway of the call. Undefined if the call cannot be joined any more. The
   * credential follows in `hello`.
   */
  async #locate(url: URL): Promise<UpgradeTarget | undefined> {
    const callId = callIdIn(url);
    const row = isUuid(callId) ? await this.#parts.calls.find(callId) : undefined;
    if (row === undefined || row.state === 'ended') return undefined;
    const isElsewhere = row.state === 'live' && row.gateway_id !== this.#parts.gatewayId;
    const heldBy = isElsewhere ? (row.gateway_id ?? undefined) : undefined;
    return { accountId: row.account_id, keyId: null, scopes: ['*'], heldBy };
  }

  #open(socket: WebSocket, context: SocketContext): void {
    const { log } = context;
    const callId = callIdIn(context.url);
    const limit = setTimeout(
      () => socket.close(CALL_CLOSE_CODES.policyViolation, 'hello did not come'),
      HELLO_MS,
    );
    socket.once('close', () => clearTimeout(limit));
    socket.once('message', (data: RawData, isBinary: boolean) => {
      clearTimeout(limit);
      const release = bufferMessages(socket);
      this.#onHello(socket, callId, context, { data, isBinary })
        .then(release)
        .catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 'RATE_LIMITED') {
            socket.close(CALL_CLOSE_CODES.policyViolation, error.message);
            return;
          }
          log.error({ err: error, callId }, 'The call could not begin');
          socket.close(CALL_CLOSE_CODES.internalError, 'the call could not begin');
        });
    });
  }

  async #onHello(
    socket: WebSocket,
    callId: string,
    { request, principal, limiter, log }: SocketContext,
    first: { data: RawData; isBinary: boolean },
  ): Promise<void> {
    const hello = readHello(first);
    if (typeof hello === 'string') {
      socket.close(CALL_CLOSE_CODES.invalidData, hello.slice(0, 100));
      return;
    }
    if (hello.resumeToken !== undefined) {
      const live = this.#parts.registry.findByResumeToken(hello.resumeToken);
      if (live) {
        live.resumable.socket.resume(socket, hello);
        return;
      }
      await limiter.countFailedAuth();
      socket.close(CALL_CLOSE_CODES.policyViolation, 'this call cannot be taken up again');
      return;
    }
    const token = hello.token ?? tokenOf(request) ?? '';
    if ((await this.#parts.tokens.verify(token, 'join')) !== callId) {
      await limiter.countFailedAuth();
      socket.close(CALL_CLOSE_CODES.policyViolation, 'the token is wrong or has expired');
      return;
    }
    await limiter.countRequest(principal.accountId);
    await this.#join(socket, callId, hello, log);
  }

  async #join(socket: WebSocket, callId: string, hello: Hello, log: Logger): Promise<void> {
    const session = await this.#parts.sessions.claim(callId);
    if (typeof session === 'string') {
      socket.close(CALL_CLOSE_CODES.policyViolation, CLOSE_REASONS[session] ?? session);
      return;
    }
    if (socket.readyState !== socket.OPEN) {
      await session.cancel();
      return;
    }
    try {
      this.#start(socket, session, hello, log.child({ callId }));
    } catch (error) {
      await session.cancel();
      throw error;
    }
  }

  #start(socket: WebSocket, session: CallSession, hello: Hello, log: Logger): void {
    const callId = session.row.call_id;
    const resumeToken = CallRegistry.makeResumeToken(callId);
    const transport = new WebSocketTransport({
      clock: systemClock,
      callId,
      resumeToken,
      sampleRate: session.voiceSampleRate,
      audio: hello.audio,
      onFault: (error) => log.error({ err: error }, 'Error in the transport of a call'),
    });
    const resumable = { socket: transport, token: resumeToken };
    session.start(transport, { log, resumable }, (call) => transport.start(call, socket));
  }
}
