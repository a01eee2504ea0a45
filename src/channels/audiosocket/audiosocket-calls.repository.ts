import type { Knex } from 'knex';

/** Expired registrations are deleted after this time, at the next registration. */
const KEEP_EXPIRED = '1 hour';

/** The table `audiosocket_calls`. */
export class AudioSocketCallsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** @returns when the UUID expires */
  async register(uuid: string, callId: string, seconds: number): Promise<Date> {
    await this.#db('audiosocket_calls')
      .where('expires_at', '<', this.#db.raw(`now() - interval '${KEEP_EXPIRED}'`))
      .delete();
    const [row] = await this.#db('audiosocket_calls')
      .insert({
        uuid,
        call_id: callId,
        expires_at: this.#db.raw('now() + make_interval(secs => ?)', [seconds]),
      })
      .returning<{ expires_at: Date }[]>('expires_at');
    return row!.expires_at;
  }

  /** The call of a UUID. A UUID can be redeemed once, across gateways. */
  async redeem(uuid: string): Promise<string | undefined> {
    const [row] = await this.#db('audiosocket_calls')
      .where({ uuid })
      .delete()
      .returning<{ call_id: string; is_valid: boolean }[]>([
        'call_id',
        this.#db.raw('expires_at > now() as is_valid'),
      ] as never);
    return row?.is_valid ? row.call_id : undefined;
  }
}
