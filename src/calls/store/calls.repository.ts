import type { Knex } from 'knex';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { lockAccount } from '../../features/ownership/lock-account.js';
import type { WebhookRecorder } from '../../features/webhooks/webhook-events.js';
import { notifyChanges } from '../../platform/cluster/change-notices.js';
import type { CallOptions, CallRow, CallType } from './call.model.js';
import { callEnded, callStarted, turnCompleted } from './call-events.js';
import { findUserTurn } from './call-turns.repository.js';

/** A reserved slot that is not used is free again after this time. Part of the public contract. */
const RESERVED_S = 60;
/** A reserved telephone call whose slot was freed this long ago is abandoned. */
const ABANDONED_S = 3_600;
const MAX_LISTED = 1_000;

export interface NewCall {
  readonly callId: string;
  readonly accountId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly callType: CallType;
  readonly options: CallOptions;
  readonly fromNumber?: string | null;
  readonly toNumber?: string | null;
}

/** Why a call was refused. */
export type AccountRefusal = 'insufficient_credits' | 'concurrency_limit';

const NO_EVENTS: WebhookRecorder = { record: async () => undefined };

/** Calls from their reservation to their end. */
export class CallsRepository {
  readonly #db: Knex;
  /** Concurrent calls per account; 0: no limit. */
  readonly #maxConcurrentCalls: number;
  readonly #events: WebhookRecorder;

  /** @param events - receives the webhook events of calls. Default: none are recorded */
  constructor(db: Knex, maxConcurrentCalls: number, events: WebhookRecorder = NO_EVENTS) {
    this.#db = db;
    this.#maxConcurrentCalls = maxConcurrentCalls;
    this.#events = events;
  }

  /** Reserves a slot and creates the call's row, atomically. @returns the reason if it is refused */
  reserve(call: NewCall): Promise<AccountRefusal | undefined> {
    return this.#db.transaction(async (transaction) => {
      // Serialises the reservations of an account, so that two calls never get the last slot.
      await lockAccount(transaction, call.accountId, 'update');
      const refusal = await this.#refusal(transaction, call.accountId);
      if (refusal) return refusal;
      await transaction('calls').insert({
        call_id: call.callId,
        account_id: call.accountId,
        agent_id: call.agentId,
        agent_name: call.agentName,
        call_type: call.callType,
        options: call.options,
        from_number: call.fromNumber ?? null,
        to_number: call.toNumber ?? null,
        reserved_until: transaction.raw(`now() + interval '${RESERVED_S} s'`),
      });
      return undefined;
    });
  }

  /**
   * Assigns a reserved call to a gateway, once. A call whose slot was freed gets a slot again if one is
   * free.
   */
  claim(callId: string, gatewayId: string): Promise<CallRow | AccountRefusal | undefined> {
    return this.#db.transaction(async (transaction) => {
      const calls = () => transaction<CallRow>('calls').where({ call_id: callId });
      const row = await calls().forUpdate().first();
      if (row?.state !== 'reserved') return undefined;
      await lockAccount(transaction, row.account_id, 'update');
      const refusal = await this.#refusal(transaction, row.account_id, callId);
      if (refusal) return refusal;
      const [claimed] = await calls()
        .update({ state: 'live', gateway_id: gatewayId })
        .returning('*');
      return claimed;
    });
  }

  /** Why a call of this account would be refused now. Reserves nothing. */
  accountRefusalOf(accountId: string): Promise<AccountRefusal | undefined> {
    return this.#refusal(this.#db, accountId);
  }

  async find(callId: string): Promise<CallRow | undefined> {
    return this.#db<CallRow>('calls').where({ call_id: callId }).first();
  }

  /**
   * Stores the carrier's status of an outbound call.
   * @returns false if the call has ended; its last status stays
   */
  async saveDialStatus(
    callId: string,
    status: Pick<CallOptions, 'dial_status' | 'carrier' | 'carrier_call_id'>,
  ): Promise<boolean> {
    const updated = await this.#db('calls')
      .where({ call_id: callId, call_type: 'sip_outbound' })
      .whereNot({ state: 'ended' })
      .update({ options: this.#db.raw('options || ?::jsonb', [JSON.stringify(status)]) });
    return updated > 0;
  }

  /** Records that media is connected. The times of the call's turns count from here. */
  async markStarted(callId: string): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      const [call] = await transaction<CallRow>('calls')
        .where({ call_id: callId, state: 'live' })
        .whereNull('started_at')
        .update({ started_at: transaction.fn.now(3) as never })
        .returning('*');
      if (call) await this.#events.record(transaction, [callStarted(call)]);
    });
  }

  /**
   * Ends a call: frees its slot, deducts its credits and records its webhook events, in one transaction.
   * Idempotent: an ended call does not change.
   */
  async end(callId: string, reason: EndedReason): Promise<void> {
    await this.#end(this.#db.raw('call_id = ?', [callId]), reason);
  }

  /**
   * Ends a reserved call. A call that a gateway holds does not change.
   * @returns whether the call was reserved
   */
  async endReserved(callId: string, reason: EndedReason): Promise<boolean> {
    const condition = this.#db.raw(`call_id = ? and state = 'reserved'`, [callId]);
    return (await this.#end(condition, reason)) > 0;
  }

  /** The running calls of an account, newest first. At most 1,000. */
  async listRunning(accountId: string): Promise<readonly CallRow[]> {
    return this.#db<CallRow>('calls')
      .where({ account_id: accountId, state: 'live' })
      .orderBy('id', 'desc')
      .limit(MAX_LISTED);
  }

  /** The calls of a list that have ended. */
  async findEnded(
    callIds: readonly string[],
  ): Promise<readonly Pick<CallRow, 'call_id' | 'ended_reason'>[]> {
    return this.#db<CallRow>('calls')
      .whereIn('call_id', callIds)
      .where({ state: 'ended' })
      .select('call_id', 'ended_reason');
  }

  /** The states of calls. Calls that do not exist are left out. */
  async statesOf(callIds: readonly string[]): Promise<ReadonlyMap<string, CallRow['state']>> {
    const rows = await this.#db<CallRow>('calls')
      .whereIn('call_id', callIds)
      .select('call_id', 'state');
    return new Map(rows.map(({ call_id, state }) => [call_id, state]));
  }

  /** Ends the calls of all other gateways that are not in `gateways` any more. @returns how many */
  endOrphaned(ownGatewayId: string): Promise<number> {
    return this.#end(
      this.#db.raw(
        `state = 'live' and gateway_id is distinct from ?
         and not exists (select from gateways where gateways.id = calls.gateway_id)`,
        [ownGatewayId],
      ),
      'error_transport',
    );
  }

  /** Ends reserved telephone calls whose carrier has not reported their end. @returns how many */
  endAbandoned(): Promise<number> {
    return this.#end(
      this.#db.raw(
        `state = 'reserved' and call_type <> 'web'
         and reserved_until < now() - interval '${ABANDONED_S} s'`,
      ),
      'error_transport',
    );
  }

  /** The calls of a gateway whose account has spent its balance on its running calls. */
  async findOutOfCredits(gatewayId: string): Promise<readonly string[]> {
    const { rows } = await this.#db.raw<{ rows: { call_id: string }[] }>(
      `with running as (
         select account_id, sum(extract(epoch from now() - started_at)) as seconds from calls
         where state = 'live' and started_at is not null group by account_id
       )
       select call_id from calls join running using (account_id)
         join accounts on accounts.id = account_id
       where state = 'live' and gateway_id = ? and price_per_call_second > 0
         and seconds * price_per_call_second >= balance`,
      [gatewayId],
    );
    return rows.map(({ call_id }) => call_id);
  }

  /** Ends the calls that a gateway still holds, because it stops or has died. */
  async endAllOf(gatewayId: string, reason: EndedReason): Promise<void> {
    await this.#end(this.#db.raw(`state = 'live' and gateway_id = ?`, [gatewayId]), reason);
  }

  #end(condition: Knex.Raw, reason: EndedReason): Promise<number> {
    return this.#db.transaction(async (transaction) => {
      const { rows } = await transaction.raw<{ rows: CallRow[] }>(
        `with ending as (
           update calls set state = 'ended', ended_at = now(), ended_reason = ?,
             credits_used = case when started_at is null then 0 else
               extract(epoch from now() - started_at)
                 * (select price_per_call_second from accounts where accounts.id = account_id) end
           where state <> 'ended' and (?)
           returning *
         ), spent as (
           select account_id, sum(credits_used) as credits from ending group by account_id
         ), paid as (
           update accounts set balance = balance - spent.credits
           from spent where accounts.id = spent.account_id and balance is not null
         )
         select * from ending`,
        [reason, condition],
      );
      for (const call of rows) {
        const last = await findUserTurn(transaction, call.call_id);
        const turns = last ? [turnCompleted(call, last)] : [];
        await this.#events.record(transaction, [...turns, ...callEnded(call)]);
      }
      await notifyChanges(
        transaction,
        rows.map(({ call_id }) => call_id),
      );
      return rows.length;
    });
  }

  async #refusal(
    db: Knex,
    accountId: string,
    except?: string,
  ): Promise<AccountRefusal | undefined> {
    const account = await db<{ id: string; balance: number | null }>('accounts')
      .where({ id: accountId })
      .first('balance');
    if (account?.balance != null && Number(account.balance) <= 0) return 'insufficient_credits';
    if (this.#maxConcurrentCalls === 0) return undefined;
    const open = await db('calls')
      .where({ account_id: accountId })
      .modify((query) => {
        if (except) query.whereNot({ call_id: except });
      })
      .where((query) =>
        query
          .where({ state: 'live' })
          .orWhere((reserved) =>
            reserved.where({ state: 'reserved' }).where('reserved_until', '>', db.fn.now()),
          ),
      )
      .count<{ count: number }[]>('*');
    return Number(open[0]!.count) >= this.#maxConcurrentCalls ? 'concurrency_limit' : undefined;
  }
}
