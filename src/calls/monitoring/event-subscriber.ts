import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { Gateway, GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import type { PeerClient } from '../../platform/cluster/peer-client.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { CallsRepository } from '../store/calls.repository.js';
import type { LiveEvent } from './live-event.js';
import type { LiveEventBus } from './live-event-bus.js';
import { eventsPath } from './peer-streams.js';
import type { RunningCallsRepository } from './running-calls.repository.js';

/** How often is looked for gateways that come, and for calls whose gateway has died. */
const LOOK_MS = 1_000;
/** Between a call's row and its beginning here, and between tries to reach its gateway. */
const AGAIN_MS = 250;
/** A gateway that cannot be reached for so long is given up; the calls of a dead one end sooner. */
const UNREACHABLE_MS = 30_000;

export interface EventSubscriberParts {
  readonly gatewayId: string;
  readonly hub: LiveEventBus;
  readonly peers: PeerClient;
  readonly gateways: Pick<GatewaysRepository, 'others' | 'find'>;
  readonly running: Pick<RunningCallsRepository, 'find'>;
  readonly calls: Pick<CallsRepository, 'findEnded'>;
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
    const { hub, gateways, running, unreachableMs = UNREACHABLE_MS } = this.#parts;
    let reachedAt = performance.now();
    while (!signal.aborted) {
      const row = await running.find(callId);
      if (row?.state !== 'live') {
        if (!signal.aborted) tell(ended(callId, row?.ended_reason ?? null));
        return;
      }
      const isHere = row.gateway_id === this.#parts.gatewayId;
      if (isHere && hub.find(callId)) {
        if (await this.#followHere({ accountId, callId }, tell, signal)) return;
      } else if (!isHere) {
        const gateway = row.gateway_id === null ? undefined : await gateways.find(row.gateway_id);
        const hasEnded =
          gateway && (await this.#followThere(gateway, { accountId, callId }, tell, signal));
        if (hasEnded === true) return;
        if (hasEnded === false) reachedAt = performance.now();
        if (performance.now() - reachedAt > unreachableMs) throw unreachable();
      }
      await pause(AGAIN_MS, signal);
    }
  }

  /** Tells of all calls of an account, those included that begin later, until the signal fires. */
  async followAccount(accountId: string, tell: Tell, signal: AbortSignal): Promise<void> {
    const { gatewayId, gateways, calls, log } = this.#parts;
    const following = new Set<string>();
    /** Calls of other gateways, and whether nobody tells of them any more. */
    const known = new Map<string, { readonly gatewayId: string; isLost: boolean }>();
    const hear = (gateway: Gateway): Tell => {
      return (event) => {
        if (event.type === 'ended') known.delete(event.call_id);
        else known.set(event.call_id, { gatewayId: gateway.id, isLost: false });
        tell(event);
      };
    };
    const follow = async (gateway: Gateway) => {
      following.add(gateway.id);
      await this.#followThere(gateway, { accountId }, hear(gateway), signal);
      following.delete(gateway.id);
      for (const call of known.values()) if (call.gatewayId === gateway.id) call.isLost = true;
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
      await pause(LOOK_MS, signal);
    }
    await here;
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

/** The gateway of a call does not answer, or does not say where it is. */
export function unreachable(): ApiError {
  return new ApiError(
    'GATEWAY_UNREACHABLE',
    'The gateway that holds this call cannot be reached: set GATEWAY_ADDRESS there',
  );
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
