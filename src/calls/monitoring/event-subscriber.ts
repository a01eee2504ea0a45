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

/** Changes are notified. In case a notice is lost, the database is read this often. */
const RECHECK_MS = 15_000;
/** Delays between attempts to reach a gateway. */
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** A gateway that cannot be reached for so long is given up; the calls of a dead one end sooner. */
const UNREACHABLE_MS = 30_000;

export interface EventSubscriberParts {
  readonly gatewayId: string;
  readonly hub: LiveEventBus;
  readonly peers: PeerClient;
  readonly changes: Pick<ChangeNotices, 'waiter'>;
  readonly gateways: Pick<GatewaysRepository, 'others' | 'find'>;
  readonly calls: Pick<CallsRepository, 'find' | 'findEnded'>;
  readonly log: Logger;
  /** By default 30 s. */
  readonly unreachableMs?: number | undefined;
}

type Tell = (event: LiveEvent) => void;

/** Follows calls wherever they are held. */
export class EventSubscriber {
  readonly #parts: EventSubscriberParts;

  constructor(parts: EventSubscriberParts) {
    this.#parts = parts;
  }

  /**
   * Tells of one call until it has ended, which is told last, or the signal fires.
   * @throws ApiError GATEWAY_UNREACHABLE
   */
  async followCall(
    accountId: string,
    callId: string,
    tell: Tell,
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
          if (!signal.aborted) tell(ended(callId, row?.ended_reason ?? null));
          return;
        }
        if (row.gateway_id === gatewayId) {
          if (await this.#followOwn(accountId, callId, tell, waiter, signal)) return;
          continue;
        }
        const gateway = row.gateway_id === null ? undefined : await gateways.find(row.gateway_id);
        const hasEnded =
          gateway && (await this.#followThere(gateway, { accountId, callId }, tell, signal));
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

  /** Tells of all calls of an account, those included that begin later, until the signal fires. */
  async followAccount(accountId: string, tell: Tell, signal: AbortSignal): Promise<void> {
    const { gatewayId, gateways, calls, changes, log } = this.#parts;
    const following = new Set<string>();
    /** By gateway id. */
    const retries = new Map<string, number>();
    /** Calls of other gateways. `isLost`: the connection to the gateway broke. */
    const known = new Map<string, { readonly gatewayId: string; isLost: boolean }>();
    const waiter = changes.waiter(
      (topic) => topic === GATEWAYS_TOPIC || known.get(topic)?.isLost === true,
    );
    const hear = (gateway: Gateway): Tell => {
      return (event) => {
        if (event.type === 'ended') known.delete(event.call_id);
        else known.set(event.call_id, { gatewayId: gateway.id, isLost: false });
        tell(event);
      };
    };
    const follow = async (gateway: Gateway) => {
      const { id } = gateway;
      following.add(id);
      const result = await this.#followThere(gateway, { accountId }, hear(gateway), signal);
      for (const call of known.values()) if (call.gatewayId === id) call.isLost = true;
      const retryMs = result === undefined ? 2 * (retries.get(id) ?? 0) : 0;
      retries.set(id, Math.min(Math.max(retryMs, MIN_RETRY_MS), MAX_RETRY_MS));
      await sleep(retries.get(id), undefined, { signal }).catch(() => undefined);
      following.delete(id);
      waiter.notify();
    };
    const look = async () => {
      for (const gateway of await gateways.others(gatewayId)) {
        if (!following.has(gateway.id)) void follow(gateway);
      }
      const lost = [...known].flatMap(([callId, { isLost }]) => (isLost ? [callId] : []));
      if (lost.length === 0) return;
      for (const { call_id, ended_reason } of await calls.findEnded(lost)) {
        known.delete(call_id);
        if (!signal.aborted) tell(ended(call_id, ended_reason));
      }
    };
    const here = this.#followHere({ accountId }, tell, signal);
    while (!signal.aborted) {
      await look().catch((error: unknown) =>
        log.warn({ err: error }, 'other gateways could not be looked for'),
      );
      await waiter.wait(RECHECK_MS, signal);
    }
    waiter.close();
    await here;
  }

  /**
   * Follows a call that this gateway holds, or waits for its beginning.
   * @returns whether the call has ended
   */
  async #followOwn(
    accountId: string,
    callId: string,
    tell: Tell,
    waiter: ChangeWaiter,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { hub } = this.#parts;
    if (hub.find(callId)) return this.#followHere({ accountId, callId }, tell, signal);
    const onBegin = { tell: () => waiter.notify(), closed: () => undefined };
    const unwatch = hub.watch({ accountId, callId, ...onBegin });
    await waiter.wait(RECHECK_MS, signal);
    unwatch();
    return false;
  }

  /** @returns whether the call has ended; false when the signal fired. */
  #followHere(
    target: { readonly accountId: string; readonly callId?: string },
    tell: Tell,
    signal: AbortSignal,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (hasEnded: boolean) => {
        unwatch();
        resolve(hasEnded);
      };
      const unwatch = this.#parts.hub.watch({
        ...target,
        tell: (event) => {
          tell(event);
          if (target.callId !== undefined && event.type === 'ended') stop(true);
        },
        closed: () => undefined, // who follows is sent away by whom it follows for
      });
      if (signal.aborted) stop(false);
      else signal.addEventListener('abort', () => stop(false), { once: true });
    });
  }

  /** @returns whether the call has ended; undefined when its gateway could not be reached. */
  async #followThere(
    gateway: Gateway,
    target: { readonly accountId: string; readonly callId?: string },
    tell: Tell,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const { peers, log } = this.#parts;
    let isReached = false;
    let hasEnded = false;
    const hear: Tell = (event) => {
      isReached = true;
      if (event.type === 'ended') hasEnded = true;
      if (!signal.aborted) tell(event);
    };
    try {
      await peers.follow(gateway, { path: eventsPath(target), signal }, hear);
      isReached = true;
    } catch (error) {
      if (!signal.aborted) log.info({ err: error }, 'a link to another gateway broke');
    }
    if (target.callId !== undefined && hasEnded) return true;
    return isReached ? false : undefined;
  }
}

function ended(callId: string, reason: EndedReason | null): LiveEvent {
  return { type: 'ended', call_id: callId, reason: reason ?? 'error_transport' };
}
