import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { DatabaseListener } from '../../platform/db/database-listener.js';
import type { CallRegistry, LiveCall } from '../session/call-registry.js';
import type { CallsRepository } from '../store/calls.repository.js';
import {
  type AskedCommand,
  type CallCommand,
  type CallCommandsRepository,
  type CommandAnswer,
  commandChannel,
  type PhoneAnswer,
  type SayAnswer,
  type SentCommand,
} from './call-commands.repository.js';

export interface CallCommandServiceParts {
  readonly db: Knex;
  readonly gatewayId: string;
  readonly calls: Pick<CallsRepository, 'endReserved' | 'end' | 'find' | 'findEnded'>;
  readonly commands: CallCommandsRepository;
  readonly live: Pick<CallRegistry, 'get' | 'ids'>;
  readonly log: Logger;
  /** Told of a call that was ended before it had begun: it may ring somewhere. */
  readonly onWaitingEnded?: (callId: string) => void;
  /** A gateway that has not ended a call by then is taken for dead: its slot is freed without it. */
  readonly endedWithinMs?: number;
  /** What no gateway has answered to by then is given up. */
  readonly answeredWithinMs?: number;
}

/** How often is looked for commands whose notice was lost. */
const SWEEP_MS = 2_000;
const ENDED_WITHIN_MS = 5_000;
const ANSWERED_WITHIN_MS = 5_000;
/** While a notice is waited for, its loss is made good after so long. */
const RECHECK_MS = 1_000;

/** Commands to calls, whichever gateway holds them. */
export class CallCommandService {
  readonly #parts: CallCommandServiceParts;
  #listener: DatabaseListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isLookWanted = false;
  /** Whoever waits for the next notice. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: CallCommandServiceParts) {
    this.#parts = parts;
  }

  start(): void {
    const { db, gatewayId, log } = this.#parts;
    const channel = commandChannel(gatewayId);
    this.#listener = new DatabaseListener({ db, channel, log, onNotice: () => this.#onNotice() });
    this.#timer = setInterval(() => this.#look(), SWEEP_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#listener?.close();
    await this.#looking;
  }

  /**
   * Has a command carried out, here or by the gateway that holds the call, which hears of it at once.
   * @returns false when no gateway holds the call.
   */
  async send(callId: string, command: CallCommand): Promise<boolean> {
    if (this.#parts.live.get(callId) === undefined) {
      return this.#parts.commands.add(callId, this.#withSender(command));
    }
    await this.#obey(callId, command);
    return true;
  }

  /** Ends a call wherever it is; when this resolves, its record is written. Idempotent. */
  async end(callId: string, reason: EndedReason): Promise<void> {
    const { calls, endedWithinMs = ENDED_WITHIN_MS } = this.#parts;
    const hasWaited = await calls.endReserved(callId, reason);
    if (hasWaited) this.#parts.onWaitingEnded?.(callId);
    if (!(await this.send(callId, { type: 'end', reason }))) return;
    const until = performance.now() + endedWithinMs;
    for (;;) {
      const notice = this.#notice(until);
      if ((await calls.find(callId))?.state !== 'live') return;
      if (performance.now() > until) return calls.end(callId, reason);
      await notice;
    }
  }

  /**
   * Has the agent say a text next, wherever the call is.
   * @returns undefined when no gateway holds the call, `late` when the one that does is silent.
   */
  async say(callId: string, text: string): Promise<SayAnswer | 'late' | undefined> {
    return this.#ask<SayAnswer>(callId, { type: 'say', id: randomUUID(), text });
  }

  /** Presses keys towards the other side of a telephone call, as tones; answers as `say` does. */
  async sendKeys(callId: string, keys: string): Promise<PhoneAnswer | 'late' | undefined> {
    return this.#ask<PhoneAnswer>(callId, { type: 'keys', id: randomUUID(), keys });
  }

  /** Gives the caller of a telephone call to a number (E.164); answers as `say` does. */
  async transfer(callId: string, target: string): Promise<PhoneAnswer | 'late' | undefined> {
    return this.#ask<PhoneAnswer>(callId, { type: 'transfer', id: randomUUID(), target });
  }

  async #ask<T extends CommandAnswer>(
    callId: string,
    command: AskedCommand,
  ): Promise<T | 'late' | undefined> {
    const { commands, live, answeredWithinMs = ANSWERED_WITHIN_MS } = this.#parts;
    const own = live.get(callId);
    if (own) return (await answerOf(own, command)) as T;
    if (!(await commands.add(callId, this.#withSender(command)))) return undefined;
    const until = performance.now() + answeredWithinMs;
    do {
      const notice = this.#notice(until);
      const answer = await commands.takeAnswer(command.id);
      if (answer) return answer as T;
      await notice;
    } while (performance.now() < until);
    await commands.withdraw(command.id);
    return 'late';
  }

  #withSender(command: CallCommand): SentCommand {
    return { ...command, replyTo: this.#parts.gatewayId };
  }

  /** Resolves at the next notice, at `untilMs`, or after a while, as a notice may be lost. */
  #notice(untilMs: number): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        clearTimeout(timer);
        this.#waiting.delete(over);
        resolve();
      };
      const leftMs = Math.max(0, untilMs - performance.now());
      const timer = setTimeout(over, Math.min(RECHECK_MS, leftMs + 1));
      this.#waiting.add(over);
    });
  }

  #onNotice(): void {
    for (const over of [...this.#waiting]) over();
    this.#look();
  }

  /** Looks for commands; while it looks, further reasons to do so become one more look. */
  #look(): void {
    this.#isLookWanted = true;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookOn(): Promise<void> {
    while (this.#isLookWanted) {
      this.#isLookWanted = false;
      try {
        await this.#sweep();
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'commands to calls could not be read');
      }
    }
  }

  async #sweep(): Promise<void> {
    const { calls, commands, live } = this.#parts;
    const callIds = live.ids();
    if (callIds.length === 0) return;
    for (const { callId, command } of await commands.take(callIds)) {
      // Not waited for: an end takes as long as its record.
      void this.#obey(callId, command).catch((error: unknown) =>
        this.#parts.log.error({ err: error, callId }, 'a command to a call failed'),
      );
    }
    // A gateway that was taken for dead may live: what others ended is over here too.
    for (const { call_id, ended_reason } of await calls.findEnded(callIds)) {
      live.get(call_id)?.call.hangUp(ended_reason ?? 'error_transport');
    }
  }

  async #obey(callId: string, command: SentCommand): Promise<void> {
    const { live, commands, log } = this.#parts;
    const call = live.get(callId);
    switch (command.type) {
      case 'end':
        await call?.end(command.reason);
        await commands.notify(command.replyTo);
        return;
      case 'say':
      case 'keys':
      case 'transfer':
        await commands.answer(
          command.id,
          call ? await answerOf(call, command) : 'ending',
          command.replyTo,
        );
        return;
      default:
        // A newer gateway on the same database may know more of them.
        log.warn({ callId }, 'a command that this gateway does not know');
    }
  }
}

/** Has a call do what is asked of it. */
async function answerOf({ call, phone }: LiveCall, command: AskedCommand): Promise<CommandAnswer> {
  switch (command.type) {
    case 'say':
      return call.say(command.text) ?? 'queued';
    case 'keys':
      if (!phone) return 'unable';
      return phone.sendKeys(command.keys) ? 'done' : 'ending';
    case 'transfer':
      return phone?.canTransfer ? phone.transfer(command.target) : 'unable';
  }
}
