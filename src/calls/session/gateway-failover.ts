import type { Logger } from 'pino';
import type { GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { CallsRepository } from '../store/calls.repository.js';

const HEARTBEAT_MS = 5_000;
/** A gateway counts as dead after 15 s without a heartbeat. Its calls end within 20 s. */
const CHECK_MS = 5_000;
/** Telephone calls count as abandoned an hour after their slot was freed. */
const ABANDONED_CHECK_MS = 60_000;
/** After an outage of the database, other gateways get this long to write a heartbeat. */
const GRACE_MS = 15_000;
/** Two intervals. If a heartbeat is later than this, those of other gateways may be late, too. */
const MAX_HEARTBEAT_GAP_MS = 10_000;

export interface GatewayFailoverParts {
  readonly calls: Pick<CallsRepository, 'endOrphaned' | 'endAbandoned' | 'endAllOf'>;
  readonly gateways: Pick<
    GatewaysRepository,
    'heartbeat' | 'remove' | 'removeSilent' | 'removeAll'
  >;
  readonly gatewayId: string;
  /** `host:port` of this gateway for others. */
  readonly address?: string | undefined;
  /** Called with each search for dead gateways. */
  readonly housekeeping?: readonly (() => Promise<unknown>)[];
  readonly log: Logger;
}

/** Writes the heartbeat of this gateway, and ends the calls of gateways that died. */
export class GatewayFailover {
  readonly #parts: GatewayFailoverParts;
  #graceUntilMs = 0;
  /** The last heartbeat, by the clock of the database and of this process. */
  #lastBeatDbTime = new Date(0);
  #lastBeatAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #check: PeriodicTask;
  readonly #abandoned: PeriodicTask;

  constructor(parts: GatewayFailoverParts) {
    this.#parts = parts;
    this.#check = new PeriodicTask({
      intervalMs: CHECK_MS,
      run: () => this.#endCallsOfDeadGateways(),
      onError: (error) =>
        parts.log.error(
          { err: error },
          'Cannot search for dead gateways; the next search is in 5 s',
        ),
    });
    this.#abandoned = new PeriodicTask({
      intervalMs: ABANDONED_CHECK_MS,
      run: () => parts.calls.endAbandoned(),
      onError: (error) => parts.log.error({ err: error }, 'Cannot end abandoned telephone calls'),
    });
  }

  /** @param isAlone - no other gateway can use this database, so all stored gateways are dead */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    if (isAlone) await this.#parts.gateways.removeAll();
    await this.#beat();
    await Promise.all([this.#check.runNow(), this.#abandoned.runNow()]);
    this.#abandoned.start();
    // No other gateway reads the heartbeats or leaves calls behind.
    if (isAlone) return;
    this.#check.start();
    // Heartbeats may overlap, because one on a dead connection must not delay the next one.
    this.#timer = setInterval(() => void this.#beat(), HEARTBEAT_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#check.close(), this.#abandoned.close()]);
    const { calls, gateways, gatewayId } = this.#parts;
    await calls.endAllOf(gatewayId, 'drained');
    await gateways.remove(gatewayId);
  }

  async #beat(): Promise<void> {
    const { gateways, gatewayId, address, log } = this.#parts;
    try {
      this.#lastBeatDbTime = await gateways.heartbeat(gatewayId, address);
      const nowMs = performance.now();
      if (nowMs - this.#lastBeatAt > MAX_HEARTBEAT_GAP_MS) this.#graceUntilMs = nowMs + GRACE_MS;
      this.#lastBeatAt = nowMs;
    } catch (error) {
      this.#graceUntilMs = performance.now() + GRACE_MS;
      log.error({ err: error }, 'Cannot write the heartbeat of this gateway to the database');
    }
  }

  async #endCallsOfDeadGateways(): Promise<void> {
    if (performance.now() < this.#graceUntilMs) return;
    const { calls, gateways, gatewayId, housekeeping = [], log } = this.#parts;
    await gateways.removeSilent(gatewayId, this.#lastBeatDbTime);
    const ended = await calls.endOrphaned(gatewayId);
    if (ended > 0) log.warn({ ended }, 'Ended the calls of a gateway that died');
    for (const work of housekeeping) await work();
  }
}
