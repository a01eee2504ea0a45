import type { Logger } from 'pino';
import type { GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { CallsRepository } from '../store/calls.repository.js';

const BEAT_MS = 5_000;
/** A gateway is dead after 15 s, and its calls end within 20 s. */
const CHECK_MS = 5_000;
/** After an outage of the database, other gateways get this long to send a heartbeat. */
const GRACE_MS = 15_000;
/** Two intervals. A later heartbeat was held up, and so were those of other gateways. */
const MAX_BEAT_GAP_MS = 10_000;

/** Writes that this gateway is alive, and ends the calls of gateways that died. */
export class Heartbeat {
  readonly #calls: Pick<CallsRepository, 'endOrphaned' | 'endAbandoned' | 'endAllOf'>;
  readonly #gateways: Pick<
    GatewaysRepository,
    'heartbeat' | 'remove' | 'removeSilent' | 'removeAll'
  >;
  readonly #gatewayId: string;
  readonly #address: string | undefined;
  readonly #housekeeping: readonly (() => Promise<unknown>)[];
  readonly #log: Logger;
  #graceUntilMs = 0;
  /** The last heartbeat, by the clock of the database and of this process. */
  #beatAt = new Date(0);
  #beatAtMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #check: PeriodicTask;

  constructor(parts: {
    readonly calls: Pick<CallsRepository, 'endOrphaned' | 'endAbandoned' | 'endAllOf'>;
    readonly gateways: Pick<
      GatewaysRepository,
      'heartbeat' | 'remove' | 'removeSilent' | 'removeAll'
    >;
    readonly gatewayId: string;
    /** `host:port` of this gateway for others. */
    readonly address?: string | undefined;
    /** Called with each search for silent gateways. */
    readonly housekeeping?: readonly (() => Promise<unknown>)[];
    readonly log: Logger;
  }) {
    this.#calls = parts.calls;
    this.#gateways = parts.gateways;
    this.#gatewayId = parts.gatewayId;
    this.#address = parts.address;
    this.#housekeeping = parts.housekeeping ?? [];
    this.#log = parts.log;
    this.#check = new PeriodicTask({
      intervalMs: CHECK_MS,
      run: () => this.#endSilent(),
      onError: (error) =>
        this.#log.error({ err: error }, 'silent gateways could not be looked for'),
    });
  }

  /** @param isAlone no other gateway can use this database: all stored ones are dead */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    if (isAlone) await this.#gateways.removeAll();
    await this.#beat();
    await this.#check.runNow();
    this.#check.start();
    // Heartbeats may overlap: one that hangs on a dead connection must not delay the next one.
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#check.close();
    await this.#calls.endAllOf(this.#gatewayId, 'drained');
    await this.#gateways.remove(this.#gatewayId);
  }

  async #beat(): Promise<void> {
    try {
      this.#beatAt = await this.#gateways.heartbeat(this.#gatewayId, this.#address);
      const nowMs = performance.now();
      if (nowMs - this.#beatAtMs > MAX_BEAT_GAP_MS) this.#graceUntilMs = nowMs + GRACE_MS;
      this.#beatAtMs = nowMs;
    } catch (error) {
      this.#graceUntilMs = performance.now() + GRACE_MS;
      this.#log.error({ err: error }, 'heartbeat failed');
    }
  }

  async #endSilent(): Promise<void> {
    if (performance.now() < this.#graceUntilMs) return;
    await this.#gateways.removeSilent(this.#gatewayId, this.#beatAt);
    const ended = await this.#calls.endOrphaned(this.#gatewayId);
    await this.#calls.endAbandoned();
    if (ended > 0) this.#log.warn({ ended }, 'ended the calls of a gateway that died');
    for (const work of this.#housekeeping) await work();
  }
}
