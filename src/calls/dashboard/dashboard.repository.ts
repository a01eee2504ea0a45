import type { Knex } from 'knex';

/** Days of the dashboard, the present one included. */
const DAYS = 90;

export interface DashboardDay {
  /** `2026-02-10` */
  readonly date: string;
  readonly calls: number;
  readonly credits: number;
  /** Total duration of the day's calls. */
  readonly seconds: number;
}

/** Daily totals of an account's calls. */
export class DashboardRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * The last 90 days in ascending order, including days without calls. Ended calls are read from the
   * stored totals, running calls from their rows.
   * @param timeZone - of the days; an IANA name
   * @returns undefined if the database does not know the time zone
   */
  async days(accountId: string, timeZone: string): Promise<readonly DashboardDay[] | undefined> {
    try {
      const { rows } = await this.#db.raw<{ rows: DashboardDay[] }>(
        `with today as (select (now() at time zone :timeZone)::date as day),
         days as (
           select generate_series(day - ${DAYS - 1}, day, interval '1 day')::date as day from today
         ), quarters as (
           select quarter, sum(calls) as calls, sum(milliseconds) / 1e3 as seconds,
             sum(microcredits) / 1e6 as credits
           from call_quarter_sums
           where account_id = :accountId
             and quarter >= ((select min(day) from days)::timestamp at time zone :timeZone)
           group by quarter
         ), parts as (
           select (quarter at time zone :timeZone)::date as day, calls, seconds, credits
           from quarters
           union all
           select (called_at at time zone :timeZone)::date, 1,
             coalesce(extract(epoch from now() - started_at), 0), 0
           from calls where account_id = :accountId and state = 'live'
         )
         select to_char(days.day, 'YYYY-MM-DD') as date, coalesce(sum(calls), 0)::int as calls,
           coalesce(sum(credits), 0)::float8 as credits,
           coalesce(sum(seconds), 0)::float8 as seconds
         from days left join parts using (day)
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

/** PostgreSQL error invalid_parameter_value. */
function isUnknownTimeZone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22023';
}
