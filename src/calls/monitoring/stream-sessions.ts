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
import { listenInto, passOn } from './audio-response.js';
import type { EventSubscriber } from './event-subscriber.js';
import type { ClosedReason } from './live-event.js';
import type { LiveEventBus } from './live-event-bus.js';
import { audioPath } from './peer-streams.js';
import { EventStream, endSoon } from './sse-stream.js';
import { TurnStream } from './turn-stream.js';

/** Streams that an account may have open on one gateway. */
const MAX_STREAMS = 50;
/** A stream without events says so often that it lives. */
const BEAT_MS = 15_000;
const RETRY_AFTER_S = 10;

export interface StreamSessionsParts {
  readonly gatewayId: string;
  readonly hub: LiveEventBus;
  readonly peers: PeerClient;
  readonly encoders: AudioEncoders;
  readonly follower: EventSubscriber;
  readonly gateways: Pick<GatewaysRepository, 'find'>;
  readonly turns: Pick<CallTurnsRepository, 'listFrom'>;
  readonly keys: Authenticator;
  readonly beatMs?: number;
  /** How often the API keys of open streams are checked, ms. Default: 5,000. */
  readonly keyCheckMs?: number | undefined;
}

/** What a key needs to watch live calls, when a stream begins and as long as it is open. */
export const LIVE_SCOPE: RouteScope = 'calls:monitor';

/** Who asks for a stream. */
export interface Asking {
  readonly principal: Principal;
  readonly req: Request;
  readonly res: Response;
  readonly log: Logger;
}

/** Streams of events to clients: how many there are, and when they end. */
export class StreamSessions {
  readonly #parts: StreamSessionsParts;
  readonly #open = new Map<string, Set<(reason: ClosedReason) => void>>();

  constructor(parts: StreamSessionsParts) {
    this.#parts = parts;
  }

  /** Streams of an account that are open here. */
  streams(accountId: string): number {
    return this.#open.get(accountId)?.size ?? 0;
  }

  /** Tells a client of all calls of its account, until it goes. */
  async streamAccount(asking: Asking): Promise<void> {
    const { accountId } = asking.principal;
    const { stream, signal } = this.#begin(asking);
    await this.#parts.follower.followAccount(accountId, (event) => stream.send(event), signal);
  }

  /** Tells a client of one call: what has been said, and what is being said, to its end. */
  async streamCall(asking: Asking, callId: string, from: number): Promise<void> {
    const { follower, turns } = this.#parts;
    const { accountId } = asking.principal;
    const { stream, signal } = this.#begin(asking);
    const story = new TurnStream({ callId, from, stream, turns, log: asking.log });
    try {
      await follower.followCall(accountId, callId, (event) => story.tell(event), signal);
      await story.told();
      stream.close('call_ended');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      stream.close('gateway_unreachable');
    }
  }

  /**
   * Lets a client hear a call, to its end.
   * @throws ApiError GATEWAY_UNREACHABLE, RATE_LIMITED
   */
  async listen(asking: Asking, call: CallRow): Promise<void> {
    const { hub, encoders } = this.#parts;
    const { res } = asking;
    const free = this.take(asking, () => endSoon(res));
    try {
      const sound = hub.find(call.call_id)?.sound;
      if (sound) await listenInto(res, sound, encoders);
      else await this.#listenThere(asking, call);
    } finally {
      free();
    }
  }

  /**
   * Takes a place for a stream, which ends when its key does.
   * @param close told when the stream must end. @returns how to give the place back.
   * @throws ApiError RATE_LIMITED
   */
  take({ principal, req }: Asking, close: (reason: ClosedReason) => void): () => void {
    const { accountId } = principal;
    const all = this.#open.get(accountId) ?? new Set();
    if (all.size >= MAX_STREAMS) {
      throw new ApiError('RATE_LIMITED', `An account has at most ${MAX_STREAMS} live streams`, {
        retryAfterS: RETRY_AFTER_S,
      });
    }
    this.#open.set(accountId, all.add(close));
    const unwatch = watchCredential({
      keys: this.#parts.keys,
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

  /** Ends all streams: the gateway stops. */
  close(): void {
    for (const close of [...this.#open.values()].flatMap((all) => [...all])) {
      close('gateway_stopping');
    }
  }

  #begin(asking: Asking): { readonly stream: EventStream; readonly signal: AbortSignal } {
    const over = new AbortController();
    const free = this.take(asking, (reason) => stream.close(reason));
    const beat = setInterval(() => stream.beat(), this.#parts.beatMs ?? BEAT_MS);
    const stream: EventStream = new EventStream(asking.res, () => {
      clearInterval(beat);
      free();
      over.abort();
    });
    return { stream, signal: over.signal };
  }

  async #listenThere({ principal, res, log }: Asking, call: CallRow): Promise<void> {
    const { gateways, peers } = this.#parts;
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const gateway = call.gateway_id === null ? undefined : await gateways.find(call.gateway_id);
    if (!gateway) throw gatewayUnreachable();
    const path = audioPath({ accountId: principal.accountId, callId: call.call_id });
    const sound = await peers
      .open(gateway, { path, signal: gone.signal })
      .catch((error: unknown) => {
        log.warn({ err: error, callId: call.call_id }, 'the gateway of a call is not reached');
        throw gatewayUnreachable();
      });
    // A listener who goes, or a call that ends, is no fault.
    await passOn(sound, res).catch((error: unknown) => {
      if (!res.destroyed) throw error;
    });
  }
}
