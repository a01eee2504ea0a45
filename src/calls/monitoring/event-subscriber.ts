import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import {
  type ChangeNotices,
  type ChangeWaiter,
  GATEWAYS_TOPIC,
} from '../../platform/cluster/change-notices.js';
import type { Gateway, GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import { gatewayUnreachable, type PeerClient } from '../../platform/cluster/peer-client.js';
import type { CallsRepository } from '../store/calls.repository.js';
import type { LiveEvent } from './live-event.js';
import type { LiveEventBus } from './live-event-bus.js';
import { eventsPath } from './peer-streams.js';

/** Changes are notified. The database is also read at this interval, because notices can be lost. */
const RECHECK_MS = 15_000;
/** Delays between attempts to reach a gateway. */
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** Streams end when a gateway has been unreachable for this long. The calls of a dead gateway end sooner. */
const UNREACHABLE_MS = 30_000;

export interface EventSubscriberParts {
  readonly gatewayId: string;
  readonly eventBus: LiveEventBus;
  readonly peers: PeerClient;
  readonly changes: Pick<ChangeNotices, 'waiter'>;
  readonly gateways: Pick<GatewaysRepository, 'others' | 'find'>;
  readonly calls: Pick<CallsRepository, 'find' | 'findEnded'>;
  readonly log: Logger;
  /** Ms. Default: 30,000. */
  readonly unreachableMs?: number | undefined;
}

type OnEvent = (event: LiveEvent) => void;

/** Subscribes to the events of calls on any gateway. */
export class EventSubscriber {
  readonly #parts: EventSubscriberParts;

  constructor(parts: EventSubscriberParts) {
    this.#parts = parts;
  }

  /**
   * Passes on the events of one call until the call ends or the signal aborts. `ended` is the last event.
   * @throws ApiError GATEWAY_UNREACHABLE
   */
  async followCall(
    accountId: string,
    callId: string,
    onEvent: OnEvent,
    signal: AbortSignal,
  ): Promise<void> {
    const { gatewayId, gateways, calls, changes, unreachableMs = UNREACHABLE_MS } = this.#parts;
    const waiter = changes.waiter((topic) => topic === callId || topic === GATEWAYS_TOPIC);
    let reachedAt = performance.now();
    let retryMs = MIN_RETRY_MS;
    try {
      while (!signal.aborted) {
        const row = await calls.find(callId);
        if (row?.state !== 'live') {
          if (!signal.aborted) onEvent(ended(callId, row?.ended_reason ?? null));
          return;
        }
        if (row.gateway_id === gatewayId) {
          if (await this.#followOwn(accountId, callId, onEvent, waiter, signal)) return;
          continue;
        }
        const gateway = row.gateway_id === null ? undefined : await gateways.find(row.gateway_id);
        const hasEnded =
          gateway && (await this.#followPeer(gateway, { accountId, callId }, onEvent, signal));
        if (hasEnded) return;
        if (hasEnded === false) {
          reachedAt = performance.now();
          retryMs = MIN_RETRY_MS;
        }
        if (performance.now() - reachedAt > unreachableMs) throw gatewayUnreachable();
        await waiter.wait(retryMs, signal);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      }
    } finally {
      waiter.close();
    }
  }

  /** Passes on the events of all calls of an account, also of later ones, until the signal aborts. */
  async followAccount(accountId: string, onEvent: OnEvent, signal: AbortSignal): Promise<void> {
    const { gatewayId, gateways, calls, changes, log } = this.#parts;
    const following = new Set<string>();
    /** Retry delays in ms, by gateway id. */
    const retries = new Map<string, number>();
    /** Calls of other gateways. `isLost`: the connection to the gateway broke. */
    const known = new Map<string, { readonly gatewayId: string; isLost: boolean }>();
    const waiter = changes.waiter(
      (topic) => topic === GATEWAYS_TOPIC || known.get(topic)?.isLost === true,
    );
    const onPeerEvent = (gateway: Gateway): OnEvent => {
      return (event) => {
        if (event.type === 'ended') known.delete(event.call_id);
        else known.set(event.call_id, { gatewayId: gateway.id, isLost: false });
        onEvent(event);
      };
    };
    const follow = async (gateway: Gateway) => {
      const { id } = gateway;
      following.add(id);
      const result = await this.#followPeer(gateway, { accountId }, onPeerEvent(gateway), signal);
      for (const call of known.values()) if (call.gatewayId === id) call.isLost = true;
      const retryMs = result === undefined ? 2 * (retries.get(id) ?? 0) : 0;
      retries.set(id, Math.min(Math.max(retryMs, MIN_RETRY_MS), MAX_RETRY_MS));
      await sleep(retries.get(id), undefined, { signal }).catch(() => undefined);
      following.delete(id);
      waiter.notify();
    };
    const connectToOthers = async () => {
      for (const gateway of await gateways.others(gatewayId)) {
        if (!following.has(gateway.id)) void follow(gateway);
      }
      const lost = [...known].flatMap(([callId, { isLost }]) => (isLost ? [callId] : []));
      if (lost.length === 0) return;
      for (const { call_id, ended_reason } of await calls.findEnded(lost)) {
        known.delete(call_id);
        if (!signal.aborted) onEvent(ended(call_id, ended_reason));
      }
    };
    const here = this.#followLocal({ accountId }, onEvent, signal);
    while (!signal.aborted) {
      await connectToOthers().catch((error: unknown) =>
        log.warn({ err: error }, 'Cannot search for other gateways; the next search is in 15 s'),
      );
      await waiter.wait(RECHECK_MS, signal);
    }
    waiter.close();
    await here;
  }

  /**
   * Passes on the events of a call that this gateway holds. If the call has not begun, waits for its beginning.
   * @returns whether the call has ended
   */
  async #followOwn(
    accountId: string,
    callId: string,
    onEvent: OnEvent,
    waiter: ChangeWaiter,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { eventBus } = this.#parts;
    if (eventBus.find(callId)) return this.#followLocal({ accountId, callId }, onEvent, signal);
    const onBegin = { tell: () => waiter.notify(), closed: () => undefined };
    const unwatch = eventBus.watch({ accountId, callId, ...onBegin });
    await waiter.wait(RECHECK_MS, signal);
    unwatch();
    return false;
  }

  /** @returns whether the call has ended; false if the signal aborted */
  #followLocal(
    target: { readonly accountId: string; readonly callId?: string },
    onEvent: OnEvent,
    signal: AbortSignal,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (hasEnded: boolean) => {
        unwatch();
        resolve(hasEnded);
      };
      const unwatch = this.#parts.eventBus.watch({
        ...target,
        tell: (event) => {
          onEvent(event);
          if (target.callId !== undefined && event.type === 'ended') stop(true);
        },
        closed: () => undefined, // `StreamSessions.close` ends the streams.
      });
      if (signal.aborted) stop(false);
      else signal.addEventListener('abort', () => stop(false), { once: true });
    });
  }

  /** @returns whether the call has ended; undefined if its gateway was unreachable */
  async #followPeer(
    gateway: Gateway,
    target: { readonly accountId: string; readonly callId?: string },
    onEvent: OnEvent,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const { peers, log } = this.#parts;
    let isReached = false;
    let hasEnded = false;
    const onPeerEvent: OnEvent = (event) => {
      isReached = true;
      if (event.type === 'ended') hasEnded = true;
      if (!signal.aborted) onEvent(event);
    };
    try {
      await peers.follow(gateway, { path: eventsPath(target), signal }, onPeerEvent);
      isReached = true;
    } catch (error) {
      if (!signal.aborted) log.info({ err: error }, 'The connection to another gateway broke');
    }
    if (target.callId !== undefined && hasEnded) return true;
    return isReached ? false : undefined;
  }
}

function ended(callId: string, reason: EndedReason | null): LiveEvent {
  return { type: 'ended', call_id: callId, reason: reason ?? 'error_transport' };
}
