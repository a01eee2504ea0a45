import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { FaultBoundary } from '../../../agents-runtime/timing/fault-boundary.js';
import type {
  CarrierAction,
  CarrierLink,
} from '../../../agents-runtime/transports/telephony/carrier.js';
import type { PhoneTransport } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import {
  MAX_TWILIO_MESSAGE,
  TWILIO_RATE,
  TwilioCodec,
} from '../../../agents-runtime/transports/telephony/twilio-protocol.js';
import type { MediaConnector } from '../../calls/session/media-connector.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { ApiError } from '../../platform/http/api-error.js';
import { CLOSE_CODES } from '../../platform/http/close-codes.js';
import type { SocketRoute, UpgradeTarget } from '../../platform/http/websocket-router.js';
import type { MediaClaims, MediaTokens } from './media-tokens.js';
import { TWILIO_PATH } from './twilio.webhooks.js';
import type { TwilioClient } from './twilio-client.js';
import { isSignedByTwilio } from './twilio-signature.js';
import { dial } from './twiml.js';

/** Twilio starts the stream as soon as the socket is open. */
const START_MS = 10_000;
/** Delays before the attempts to hang up. */
const HANG_UP_DELAYS_MS = [0, 1_000, 5_000];
const TRAITS = { sampleRate: TWILIO_RATE, buffers: true } as const;
/** Close codes of a normal end, with or without a code. */
const NORMAL_CLOSE_CODES: ReadonlySet<number> = new Set([1000, 1005]);

export interface TwilioSocketParts {
  readonly tokens: Pick<MediaTokens, 'read'>;
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly connector: Pick<MediaConnector, 'connect'>;
  /** Undefined while Twilio is not configured. */
  readonly client: Pick<TwilioClient, 'end' | 'redirect'> | undefined;
  readonly authToken: string | undefined;
  /** `http(s)://host[:port]` by which Twilio reaches this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
  /** Time for the first message of the stream, ms. Default: 10,000. */
  readonly startMs?: number | undefined;
}

/** `/telephony/twilio/stream/{token}`: the audio of calls. The token is the credential. */
export function twilioSocket(parts: TwilioSocketParts): SocketRoute {
  return {
    path: `${TWILIO_PATH}/stream/{token}`,
    scope: 'any',
    authenticate: (request, url) => authenticateStream(parts, request, url),
    maxMessageBytes: MAX_TWILIO_MESSAGE,
    open: (socket, { url, log }) => {
      const claims = parts.tokens.read(tokenIn(url));
      if (claims) new Stream(parts, socket, claims, log);
      else socket.close(CLOSE_CODES.policyViolation, 'the token has expired');
    },
  };
}

/** Checks the signature if there is one. @throws ApiError FORBIDDEN */
async function authenticateStream(
  { tokens, calls, authToken, origin }: TwilioSocketParts,
  request: IncomingMessage,
  url: URL,
): Promise<UpgradeTarget | undefined> {
  const claims = tokens.read(tokenIn(url));
  if (!claims) return undefined;
  const signature = request.headers['x-twilio-signature'];
  const base = origin()?.replace(/^http/, 'ws');
  if (typeof signature === 'string' && authToken !== undefined && base !== undefined) {
    const isSigned = isSignedByTwilio(authToken, signature, { url: base + request.url });
    if (!isSigned)
      throw new ApiError('FORBIDDEN', 'The signature of Twilio is not valid for this upgrade');
  }
  const row = await calls.find(claims.callId);
  if (!row) return undefined;
  if (row.state !== 'reserved') {
    throw new ApiError('FORBIDDEN', 'The call is connected already, or it has ended');
  }
  return { accountId: row.account_id, keyId: null, scopes: ['*'] };
}

/** The path may end in a slash. */
function tokenIn({ pathname }: URL): string {
  return pathname.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/** One Twilio Media Stream. */
class Stream implements CarrierLink {
  readonly #boundary = new FaultBoundary({
    report: (error) => this.#log.error({ err: error }, 'Error in the media stream of a call'),
    end: () => {
      this.#socket.terminate();
      this.#transport?.detach('error_transport');
    },
  });
  readonly #parts: TwilioSocketParts;
  readonly #socket: WebSocket;
  readonly #claims: MediaClaims;
  readonly #socketLog: Logger;
  readonly #log: Logger;
  readonly #codec = new TwilioCodec();
  readonly #limit: NodeJS.Timeout;
  #transport: PhoneTransport | undefined;

  constructor(parts: TwilioSocketParts, socket: WebSocket, claims: MediaClaims, log: Logger) {
    this.#parts = parts;
    this.#socket = socket;
    this.#claims = claims;
    this.#socketLog = log;
    this.#log = log.child({ callId: claims.callId });
    this.#limit = setTimeout(
      () => socket.close(CLOSE_CODES.policyViolation, 'the stream did not start'),
      parts.startMs ?? START_MS,
    );
    const onMessage = (data: RawData, isBinary: boolean) => this.#onMessage(data, isBinary);
    socket.on('message', this.#boundary.guard(onMessage));
    socket.on('close', (code) => this.#onClose(code));
  }

  get backlogBytes(): number {
    return this.#socket.bufferedAmount;
  }

  act(action: CarrierAction): void {
    if (action.type === 'hangup') this.#hangUp();
    else {
      const text = this.#codec.write(action);
      if (text !== undefined && this.#socket.readyState === this.#socket.OPEN) {
        this.#socket.send(text);
      }
    }
  }

  async transfer(target: string): Promise<boolean> {
    const { client } = this.#parts;
    if (!client) return false;
    try {
      return await client.redirect(this.#claims.carrierCallId, dial(target));
    } catch (error) {
      this.#log.warn({ err: error }, 'Twilio refused the transfer of a call');
      return false;
    }
  }

  close(): void {
    this.#socket.close(CLOSE_CODES.normal);
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    const event = isBinary
      ? ({ type: 'error', message: 'The message is binary', isFatal: false } as const)
      : this.#codec.read(data.toString());
    if (!event) return;
    if (this.#transport) {
      this.#transport.handle(event);
      return;
    }
    if (event.type === 'open' && event.callId === this.#claims.carrierCallId) {
      clearTimeout(this.#limit);
      const { callId } = this.#claims;
      const log = this.#socketLog;
      this.#transport = this.#parts.connector.connect({ callId, link: this, traits: TRAITS, log });
    } else if (event.type === 'open') {
      this.#refuse('The stream is not that of this call');
    } else if (event.type === 'error' && event.isFatal) {
      this.#refuse(event.message);
    }
  }

  #refuse(fault: string): void {
    this.#log.warn({ fault }, 'Refused a media stream of Twilio');
    this.#socket.close(CLOSE_CODES.policyViolation, fault);
  }

  #onClose(code: number): void {
    clearTimeout(this.#limit);
    this.#transport?.detach(NORMAL_CLOSE_CODES.has(code) ? 'user_hangup' : 'error_transport');
  }

  /** Twilio continues with the next verb when the socket closes. This ends the call in any case. */
  #hangUp(): void {
    void this.#endAtTwilio().catch((error: unknown) =>
      this.#log.warn({ err: error }, 'Twilio rejected the request to hang up'),
    );
  }

  async #endAtTwilio(): Promise<void> {
    const { client } = this.#parts;
    if (!client) return;
    let fault: unknown;
    for (const pauseMs of HANG_UP_DELAYS_MS) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
      try {
        return await client.end(this.#claims.carrierCallId);
      } catch (error) {
        fault = error;
      }
    }
    throw fault;
  }
}
