import type { Logger } from 'pino';
import type { CallRegistry } from '../session/call-registry.js';
import type { CallsRepository } from '../store/calls.repository.js';

/** How long a call may go on that nobody can pay for. */
const LOOK_MS = 1_000;

export interface CreditMonitorParts {
  readonly calls: Pick<CallsRepository, 'findRunDry'>;
  readonly gatewayId: string;
  readonly live: Pick<CallRegistry, 'get' | 'size'>;
  readonly log: Logger;
}

/** Ends this gateway's running calls whose account runs dry. */
export class CreditMonitor {
  readonly #parts: CreditMonitorParts;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(parts: CreditMonitorParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks once; a look that takes long is not overtaken by the next. */
  async look(): Promise<void> {
    const { calls, gatewayId, live, log } = this.#parts;
    if (live.size === 0 || this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const callId of await calls.findRunDry(gatewayId)) {
        live.get(callId)?.call.hangUp('insufficient_credits');
      }
    } catch (error) {
      log.error({ err: error }, 'credits could not be looked up');
    } finally {
      this.#isLooking = false;
    }
  }
}
