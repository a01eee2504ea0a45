import type { Knex } from 'knex';

/** Old ones are forgotten when new ones come. */
const KEEP_EXPIRED = '1 hour';

/** The only code that names the columns of `audiosocket_calls`. */
export class AudioSocketCallsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** @returns until when the UUID is good. */
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

  /** The call that a UUID is for, once among all gateways. */
  async redeem(uuid: string): Promise<string | undefined> {
    const [row] = await this.#db('audiosocket_calls')
      .where({ uuid })
      .delete()
      .returning<{ call_id: string; is_valid: boolean }[]>([
        'call_id',
        this.#db.raw('expires_at > now() as is_good'),
      ] as never);
    return row?.is_valid ? row.call_id : undefined;
  }
}
