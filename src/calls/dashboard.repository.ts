import type { Knex } from 'knex';

/** Days of the dashboard, the present one included. */
const DAYS = 90;

export interface DashboardDay {
  /** `2026-02-10` */
  readonly date: string;
  readonly calls: number;
  readonly credits: number;
  /** Of all the day's calls together. */
  readonly seconds: number;
}

/** Sums up an account's calls by days. */
export class DashboardRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * The last 90 days, ascending, days without calls too.
   * @param timeZone by which days begin; an IANA name
   * @returns undefined when the database does not know the time zone
   */
  async days(accountId: string, timeZone: string): Promise<readonly DashboardDay[] | undefined> {
    try {
      const { rows } = await this.#db.raw<{ rows: DashboardDay[] }>(
        `with today as (select (now() at time zone :timeZone)::date as day),
         days as (
           select generate_series(day - ${DAYS - 1}, day, interval '1 day')::date as day from today
         ), began as (
           select coalesce(started_at, created_at) as began_at, credits_used,
             coalesce(extract(epoch from coalesce(ended_at, now()) - started_at), 0) as seconds
           from calls
           where account_id = :accountId and (started_at is not null or state = 'live')
             -- a call begins soon after it was asked for: a day more finds all by the index
             and created_at > now() - interval '${DAYS + 2} days'
         )
         select to_char(days.day, 'YYYY-MM-DD') as date, count(began_at)::int as calls,
           coalesce(sum(credits_used), 0)::float8 as credits,
           coalesce(sum(seconds), 0)::float8 as seconds
         from days left join began on (began_at at time zone :timeZone)::date = days.day
         group by days.day order by days.day`,
        { accountId, timeZone },
      );
      return rows;
    } catch (error) {
      if (isUnknownTimeZone(error)) return undefined;
      throw error;
    }
  }
}

/** Source: PostgreSQL's error codes, invalid_parameter_value. */
function isUnknownTimeZone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22023';
}
