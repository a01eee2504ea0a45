import type { Logger } from 'pino';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { CallRegistry } from '../session/call-registry.js';
import type { CallsRepository } from '../store/calls.repository.js';

/** Interval between checks: a call continues for at most this long without credits. */
const CHECK_MS = 1_000;

export interface CreditMonitorParts {
  readonly calls: Pick<CallsRepository, 'findOutOfCredits'>;
  readonly gatewayId: string;
  readonly registry: Pick<CallRegistry, 'get' | 'size'>;
  readonly log: Logger;
}

/** Ends the calls of this gateway whose account has no credits left. */
export class CreditMonitor {
  readonly #parts: CreditMonitorParts;
  readonly #task: PeriodicTask;

  constructor(parts: CreditMonitorParts) {
    this.#parts = parts;
    this.#task = new PeriodicTask({
      intervalMs: CHECK_MS,
      run: () => this.check(),
      onError: (error) =>
        parts.log.error(
          { err: error },
          'Cannot check the credits of running calls; the next check is in 1 s',
        ),
    });
  }

  /** Checks every second, until `pause`. Run it only while there are calls. */
  start(): void {
    this.#task.start();
  }

  pause(): void {
    this.#task.pause();
  }

  close(): Promise<void> {
    return this.#task.close();
  }

  /** Checks all running calls once. */
  async check(): Promise<void> {
    const { calls, gatewayId, registry } = this.#parts;
    if (registry.size === 0) return;
    for (const callId of await calls.findOutOfCredits(gatewayId)) {
      registry.get(callId)?.call.hangUp('insufficient_credits');
    }
  }
}
