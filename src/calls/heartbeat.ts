import type { Logger } from 'pino';
import type { CallCommandsRepository } from './call-commands.repository.js';
import type { CallsRepository } from './calls.repository.js';

/** Source: the platform notes on several gateways. */
const BEAT_MS = 5_000;

/** Shows other gateways that this one lives, and ends the calls of one that died. */
export class Heartbeat {
  readonly #calls: CallsRepository;
  readonly #gatewayId: string;
  readonly #commands: CallCommandsRepository;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: {
    readonly calls: CallsRepository;
    readonly gatewayId: string;
    readonly commands: CallCommandsRepository;
    readonly log: Logger;
  }) {
    this.#calls = parts.calls;
    this.#gatewayId = parts.gatewayId;
    this.#commands = parts.commands;
    this.#log = parts.log;
  }

  /** @param isAlone no other gateway can be on this database: whatever is still open is a dead one's. */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    if (isAlone) await this.#calls.forgetGateways();
    await this.#beat();
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#calls.signOff(this.#gatewayId);
  }

  async #beat(): Promise<void> {
    try {
      const ended = await this.#calls.heartbeat(this.#gatewayId);
      await this.#commands.forgetEnded();
      if (ended > 0) this.#log.warn({ ended }, 'ended the calls of a gateway that died');
    } catch (error) {
      this.#log.error({ err: error }, 'heartbeat failed');
    }
  }
}
