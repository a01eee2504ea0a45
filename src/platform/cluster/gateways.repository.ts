import type { Knex } from 'knex';
import { GATEWAYS_TOPIC, notifyChanges } from './change-notices.js';

/** A gateway without a heartbeat for this long is dead. */
const SILENT_S = 15;
/** If the last own heartbeat is older, the database was interrupted, and others may be alive. */
const FRESH_S = 10;

/** Another gateway on this database. */
export interface Gateway {
  readonly id: string;
  /** `host:port` of its peer API. */
  readonly address: string;
}

/** The gateways on this database. */
export class GatewaysRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Writes a heartbeat with the address of this gateway. Notifies other gateways if the address is new.
   * @returns the time of the heartbeat, by the clock of the database
   */
  async heartbeat(gatewayId: string, address?: string): Promise<Date> {
    const { rows } = await this.#db.raw<{ rows: { seen_at: Date; is_known: boolean }[] }>(
      `with known as (select address from gateways where id = :gatewayId)
       insert into gateways (id, address, seen_at) values (:gatewayId, :address, now())
       on conflict (id) do update set address = excluded.address, seen_at = excluded.seen_at
       returning seen_at, exists (
         select from known where known.address is not distinct from :address) as is_known`,
      { gatewayId, address: address ?? null },
    );
    const [row] = rows;
    if (!row) throw new Error('Upserting a gateway returned no row');
    if (!row.is_known) await notifyChanges(this.#db, [GATEWAYS_TOPIC]);
    return row.seen_at;
  }

  /** The other gateways that have an address. */
  async others(ownId: string): Promise<readonly Gateway[]> {
    return this.#db('gateways')
      .whereNot({ id: ownId })
      .whereNotNull('address')
      .select<Gateway[]>('id', 'address');
  }

  /** Undefined if the gateway is dead or has no address. */
  async find(gatewayId: string): Promise<Gateway | undefined> {
    return this.#db('gateways')
      .where({ id: gatewayId })
      .whereNotNull('address')
      .first<Gateway | undefined>('id', 'address');
  }

  async isAlive(gatewayId: string): Promise<boolean> {
    return (await this.#db('gateways').where({ id: gatewayId }).first('id')) !== undefined;
  }

  /**
   * Removes other gateways that are dead.
   * @param lastHeartbeatAt - the last own heartbeat, by the database's clock. If it is too old, the
   *   database was interrupted, and nothing is removed.
   */
  async removeSilent(ownId: string, lastHeartbeatAt: Date): Promise<void> {
    const removed = await this.#db('gateways')
      .whereNot({ id: ownId })
      .where('seen_at', '<', this.#db.raw(`now() - interval '${SILENT_S} s'`))
      .whereRaw(`?::timestamptz > now() - interval '${FRESH_S} s'`, [lastHeartbeatAt])
      .delete();
    if (removed > 0) await notifyChanges(this.#db, [GATEWAYS_TOPIC]);
  }

  async remove(gatewayId: string): Promise<void> {
    await this.#db('gateways').where({ id: gatewayId }).delete();
    await notifyChanges(this.#db, [GATEWAYS_TOPIC]);
  }

  /** Removes all gateways. Only for a gateway, or a cluster, that has the database for itself. */
  async removeAll(): Promise<void> {
    await this.#db('gateways').delete();
  }
}
