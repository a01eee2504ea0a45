import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import { gatewayUnreachable, type PeerClient } from '../../platform/cluster/peer-client.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { Authenticator } from '../../platform/http/bearer-credentials.js';
import { watchCredential } from '../../platform/http/credential-watch.js';
import type { Principal } from '../../platform/http/route.js';
import type { RouteScope } from '../../platform/http/scopes.js';
import type { CallRow } from '../store/call.model.js';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { AudioEncoders } from './audio-mixer.js';
import { forwardAudio, listenInto } from './audio-response.js';
import type { EventSubscriber } from './event-subscriber.js';
import type { ClosedReason } from './live-event.js';
import type { LiveEventBus } from './live-event-bus.js';
import { audioPath } from './peer-streams.js';
import { EventStream, endSoon } from './sse-stream.js';
import { TurnStream } from './turn-stream.js';

/** Maximum number of open streams of an account at one gateway. */
const MAX_STREAMS = 50;
/** Keep-alive interval of a stream. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;
const RETRY_AFTER_S = 10;

export interface StreamSessionsParts {
  readonly gatewayId: string;
  readonly eventBus: LiveEventBus;
  readonly peers: PeerClient;
  readonly encoders: AudioEncoders;
  readonly subscriber: EventSubscriber;
  readonly gateways: Pick<GatewaysRepository, 'find'>;
  readonly turns: Pick<CallTurnsRepository, 'listFrom'>;
  readonly authenticator: Authenticator;
  readonly keepAliveMs?: number;
  /** How often the API keys of open streams are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number | undefined;
}

/** The scope that an API key needs for live calls. A stream ends if its key loses the scope. */
export const LIVE_SCOPE: RouteScope = 'calls:monitor';

/** The request for a stream. */
export interface StreamRequest {
  readonly principal: Principal;
  readonly req: Request;
  readonly res: Response;
  readonly log: Logger;
}

/** The open streams of clients: limits their number, and ends them. */
export class StreamSessions {
  readonly #parts: StreamSessionsParts;
  readonly #open = new Map<string, Set<(reason: ClosedReason) => void>>();

  constructor(parts: StreamSessionsParts) {
    this.#parts = parts;
  }

  /** The number of open streams of an account at this gateway. */
  countStreams(accountId: string): number {
    return this.#open.get(accountId)?.size ?? 0;
  }

  /** Streams the events of all calls of the account, until the client disconnects. */
  async streamAccount(request: StreamRequest): Promise<void> {
    const { accountId } = request.principal;
    const { stream, signal } = this.#begin(request);
    await this.#parts.subscriber.followAccount(accountId, (event) => stream.send(event), signal);
  }

  /** Streams the turns so far and the further events of one call, until its end. */
  async streamCall(request: StreamRequest, callId: string, from: number): Promise<void> {
    const { subscriber, turns } = this.#parts;
    const { accountId } = request.principal;
    const { stream, signal } = this.#begin(request);
    const turnStream = new TurnStream({ callId, from, stream, turns, log: request.log });
    try {
      await subscriber.followCall(accountId, callId, (event) => turnStream.tell(event), signal);
      await turnStream.flushed();
      stream.close('call_ended');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      stream.close('gateway_unreachable');
    }
  }

  /**
   * Streams the audio of a call, until its end.
   * @throws ApiError GATEWAY_UNREACHABLE, RATE_LIMITED
   */
  async listen(request: StreamRequest, call: CallRow): Promise<void> {
    const { eventBus, encoders } = this.#parts;
    const { res } = request;
    const release = this.open(request, () => endSoon(res));
    try {
      const audio = eventBus.find(call.call_id)?.sound;
      if (audio) await listenInto(res, audio, encoders);
      else await this.#forwardAudio(request, call);
    } finally {
      release();
    }
  }

  /**
   * Counts a stream, and ends it when its API key is revoked.
   * @param close - called when the stream must end
   * @returns a function for the end of the stream
   * @throws ApiError RATE_LIMITED
   */
  open({ principal, req }: StreamRequest, close: (reason: ClosedReason) => void): () => void {
    const { accountId } = principal;
    const all = this.#open.get(accountId) ?? new Set();
    if (all.size >= MAX_STREAMS) {
      throw new ApiError(
        'RATE_LIMITED',
        `This account has ${MAX_STREAMS} live streams, the maximum: close one first`,
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    }
    this.#open.set(accountId, all.add(close));
    const unwatch = watchCredential({
      authenticator: this.#parts.authenticator,
      request: req,
      principal,
      scope: LIVE_SCOPE,
      checkMs: this.#parts.keyCheckMs,
      onRevoked: () => close('key_revoked'),
    });
    return () => {
      unwatch();
      all.delete(close);
      if (all.size === 0 && this.#open.get(accountId) === all) this.#open.delete(accountId);
    };
  }

  /** Ends all streams, because the gateway stops. */
  close(): void {
    for (const close of [...this.#open.values()].flatMap((all) => [...all])) {
      close('gateway_stopping');
    }
  }

  #begin(request: StreamRequest): { readonly stream: EventStream; readonly signal: AbortSignal } {
    const over = new AbortController();
    const release = this.open(request, (reason) => stream.close(reason));
    const beat = setInterval(
      () => stream.beat(),
      this.#parts.keepAliveMs ?? KEEP_ALIVE_INTERVAL_MS,
    );
    const stream: EventStream = new EventStream(request.res, () => {
      clearInterval(beat);
      release();
      over.abort();
    });
    return { stream, signal: over.signal };
  }

  async #forwardAudio({ principal, res, log }: StreamRequest, call: CallRow): Promise<void> {
    const { gateways, peers } = this.#parts;
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const gateway = call.gateway_id === null ? undefined : await gateways.find(call.gateway_id);
    if (!gateway) throw gatewayUnreachable();
    const path = audioPath({ accountId: principal.accountId, callId: call.call_id });
    const audio = await peers
      .open(gateway, { path, signal: gone.signal })
      .catch((error: unknown) => {
        log.warn({ err: error, callId: call.call_id }, 'Cannot reach the gateway of a call');
        throw gatewayUnreachable();
      });
    // It is no fault if the listener disconnects or the call ends.
    await forwardAudio(audio, res).catch((error: unknown) => {
      if (!res.destroyed) throw error;
    });
  }
}
