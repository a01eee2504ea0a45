import type { Knex } from 'knex';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { SayRefusal } from '../../../agents-runtime/contract/transport.js';

/** What may be asked of the gateway that holds a call. */
export type CallCommand =
  | { readonly type: 'end'; readonly reason: EndedReason }
  /** The agent says it next; what became of that is answered under the id. */
  | { readonly type: 'say'; readonly id: string; readonly text: string }
  /** Presses keys towards the other side. */
  | { readonly type: 'keys'; readonly id: string; readonly keys: string }
  /** Gives the caller to a number. */
  | { readonly type: 'transfer'; readonly id: string; readonly target: string };

/** Those that are answered. */
export type AskedCommand = Exclude<CallCommand, { type: 'end' }>;

/** What the gateway that holds a call answers to a text that shall be said. */
export type SayAnswer = 'queued' | SayRefusal;

/** … and to what is asked of a telephone's line; `unable`: its wire cannot, `refused`: its carrier will not. */
export type PhoneAnswer = 'done' | 'unable' | 'refused' | 'ending';

export type CommandAnswer = SayAnswer | PhoneAnswer;

/** A command, and the gateway that waits for what comes of it; older ones do not say. */
export type SentCommand = CallCommand & { readonly replyTo?: string };

export interface AddressedCommand {
  readonly callId: string;
  readonly command: SentCommand;
}

/** The channel on which a gateway hears that there is a command for one of its calls. */
export function commandChannel(gatewayId: string): string {
  return `parley_${gatewayId}`;
}

interface CommandRow {
  readonly id: number;
  readonly call_id: string;
  readonly command: SentCommand;
}

/** Answers that nobody fetched are forgotten after so long. */
const ANSWERS_LIVE_S = 60;

/** The only code that names the columns of `call_commands` and `call_command_answers`. */
export class CallCommandsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Writes a command down and wakes the gateway that holds its call. The notice says nothing: what is
   * wanted stands in the table, where it waits for a gateway that did not hear.
   * @returns false when no gateway holds the call.
   */
  async add(callId: string, command: SentCommand): Promise<boolean> {
    const { rows } = await this.#db.raw<{ rows: unknown[] }>(
      `with held as (
         select call_id, gateway_id from calls where call_id = ? and state = 'live'
       ), added as (
         insert into call_commands (call_id, command) select call_id, ?::jsonb from held
       )
       select pg_notify(? || gateway_id, '') from held where gateway_id is not null`,
      [callId, JSON.stringify(command), commandChannel('')],
    );
    return rows.length > 0;
  }

  /** Takes the commands of these calls, in the order in which they came; nobody gets them again. */
  async take(callIds: readonly string[]): Promise<readonly AddressedCommand[]> {
    const rows = await this.#db<CommandRow>('call_commands')
      .whereIn('call_id', callIds)
      .delete()
      .returning('*');
    return rows
      .sort((left, right) => left.id - right.id)
      .map(({ call_id, command }) => ({ callId: call_id, command }));
  }

  /** Answers a command, and notifies the gateway that waits for it; no answer holds words. */
  async answer(id: string, answer: CommandAnswer, replyTo?: string): Promise<void> {
    await this.#db('call_command_answers')
      .insert({ command_id: id, answer })
      .onConflict('command_id')
      .ignore();
    await this.notify(replyTo);
  }

  /** Wakes a gateway, if it said that it waits. */
  async notify(gatewayId: string | undefined): Promise<void> {
    if (gatewayId === undefined) return;
    await this.#db.raw(`select pg_notify(?, '')`, [commandChannel(gatewayId)]);
  }

  /** Takes back a command that nobody has taken up. */
  async withdraw(id: string): Promise<void> {
    await this.#db('call_commands').whereRaw(`command ->> 'id' = ?`, [id]).delete();
  }

  /** The answer to a command, once there is one; nobody gets it again. */
  async takeAnswer(id: string): Promise<CommandAnswer | undefined> {
    const rows = await this.#db<{ command_id: string; answer: CommandAnswer }>(
      'call_command_answers',
    )
      .where({ command_id: id })
      .delete()
      .returning('answer');
    return rows[0]?.answer;
  }

  /** Forgets what nobody can carry out, or waits for, any more. */
  async forgetEnded(): Promise<void> {
    await this.#db('call_command_answers')
      .where('created_at', '<', this.#db.raw(`now() - interval '${ANSWERS_LIVE_S} s'`))
      .delete();
    await this.#db('call_commands')
      .whereIn('call_id', (ended) =>
        ended.select('call_id').from('calls').where({ state: 'ended' }),
      )
      .delete();
  }
}
