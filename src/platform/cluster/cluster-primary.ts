import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartError } from '../../config/start-error.js';
import type { GatewayMessage } from './gateway-messages.js';

/** Delay before a gateway that died is started again. Each further death within RECOVERED_MS doubles it. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** The delay of a gateway that ran for longer than this is FIRST_WAIT_MS again. */
const RECOVERED_MS = 60_000;
/** Time after `drainMs`: gateways close within 6 s (CLOSE_MARGIN_MS). Then those that still run are killed. */
const STOP_WITHIN_MS = 7_500;

export interface ClusterPrimaryParts {
  /** Path of the module that each gateway process runs. */
  readonly program: string;
  /** One environment per gateway, merged over that of this process. */
  readonly environments: readonly Readonly<Record<string, string>>[];
  /** Called when the process of a gateway has ended. Ends the calls that it held. */
  readonly onGone: (gatewayId: string) => Promise<void>;
  /** Time for running calls when the gateways stop, ms. */
  readonly drainMs: number;
  readonly log: Logger;
}

interface Member {
  readonly environment: Readonly<Record<string, string>>;
  worker: Worker | undefined;
  gatewayId: string | undefined;
  startedAt: number;
  waitMs: number;
}

/** Runs several gateways behind one port. Restarts a gateway that dies. */
export class ClusterPrimary {
  readonly #parts: ClusterPrimaryParts;
  readonly #members: readonly Member[];
  readonly #stopping = new AbortController();
  /** The calls of `onGone` that are in progress. */
  readonly #pendingCleanups = new Set<Promise<void>>();
  #onReady: () => void = () => undefined;
  #onFailed: (error: StartError) => void = () => undefined;
  #onStopped: () => void = () => undefined;
  #isStarting = true;

  constructor(parts: ClusterPrimaryParts) {
    this.#parts = parts;
    this.#members = parts.environments.map((environment) => ({
      environment,
      worker: undefined,
      gatewayId: undefined,
      startedAt: 0,
      waitMs: FIRST_WAIT_MS,
    }));
  }

  /**
   * Resolves when all gateways are ready, or when `stop` is called.
   * @throws StartError with the sentence of the first gateway that fails
   */
  async start(): Promise<void> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: this.#parts.program, args: [] });
    const all = new Promise<void>((resolve, reject) => {
      let waitedFor = this.#members.length;
      this.#onReady = () => {
        waitedFor--;
        if (waitedFor === 0) resolve();
      };
      this.#onFailed = reject;
      this.#onStopped = resolve;
    });
    for (const member of this.#members) this.#fork(member);
    await all;
    this.#isStarting = false;
  }

  /** Sends SIGTERM to all gateways and waits for their end. Kills those that are late. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#onStopped();
    const running = this.#members.flatMap(({ worker }) => worker ?? []);
    const ended = running.map((worker) => once(worker, 'exit'));
    for (const worker of running) worker.process.kill('SIGTERM');
    const late = setTimeout(() => {
      for (const worker of running) worker.process.kill('SIGKILL');
    }, this.#parts.drainMs + STOP_WITHIN_MS);
    await Promise.all(ended);
    clearTimeout(late);
    await Promise.all(this.#pendingCleanups);
  }

  #fork(member: Member): void {
    const worker = cluster.fork(member.environment);
    member.worker = worker;
    member.startedAt = performance.now();
    worker.on('message', (message: GatewayMessage) => this.#onMessage(member, message));
    // Without a listener, a message to a gateway that has just died would end this process.
    worker.on('error', (error) =>
      this.#parts.log.warn({ err: error }, 'A message to a gateway failed'),
    );
    worker.once('exit', (code, signal) => void this.#onExit(member, code ?? signal));
  }

  #onMessage(member: Member, message: GatewayMessage): void {
    switch (message.type) {
      case 'starting':
        member.gatewayId = message.gatewayId;
        return;
      case 'ready':
        this.#onReady();
        return;
      case 'failed':
        if (this.#isStarting) this.#onFailed(new StartError(message.sentence));
        else this.#parts.log.error({ sentence: message.sentence }, 'A gateway failed');
    }
  }

  async #onExit(member: Member, code: number | string): Promise<void> {
    const { log, onGone } = this.#parts;
    const { signal } = this.#stopping;
    const { gatewayId } = member;
    member.worker = undefined;
    member.gatewayId = undefined;
    if (this.#isStarting) {
      this.#onFailed(new StartError('A gateway ended during its start: see the log.'));
      return;
    }
    if (!signal.aborted) log.error({ code }, 'A gateway ended unexpectedly: it is started again');
    if (gatewayId !== undefined) {
      const going = onGone(gatewayId).catch((error: unknown) =>
        log.warn(
          { err: error },
          'Cannot end the calls of a dead gateway: the other gateways end them within 20 s',
        ),
      );
      this.#pendingCleanups.add(going);
      await going;
      this.#pendingCleanups.delete(going);
    }
    if (performance.now() - member.startedAt > RECOVERED_MS) member.waitMs = FIRST_WAIT_MS;
    await sleep(member.waitMs, undefined, { signal }).catch(() => undefined);
    member.waitMs = Math.min(2 * member.waitMs, MAX_WAIT_MS);
    if (!signal.aborted) this.#fork(member);
  }
}
