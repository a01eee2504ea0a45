import type { Knex } from 'knex';
import type { CallRow } from '../store/call.model.js';

/** The job that summarises a call. */
export const SUMMARISE_JOB = 'summarise-call';

/** A summary that takes longer is requested again, because its gateway may have died. */
const RETRY_S = 60;
/** After this time, a call stays without summary. */
const GIVE_UP_H = 24;
const MAX_SWEPT = 100;

const ADD_JOB = `graphile_worker.add_job('${SUMMARISE_JOB}', json_build_object('call_id', call_id),
  max_attempts := 3, job_key := '${SUMMARISE_JOB} ' || call_id)`;

/** The summaries of calls and their jobs: the only code that uses the column `summary_due_at`, except deletions. */
export class SummariesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Requests the summary of a call in the transaction of its end. */
  async request(transaction: Knex.Transaction, callId: string): Promise<void> {
    await transaction('calls')
      .where({ call_id: callId })
      .update({ summary_due_at: transaction.raw(`now() + interval '${RETRY_S} s'`) });
    await transaction.raw(
      `select ${ADD_JOB} from (select call_id from calls where call_id = ?) wanted`,
      [callId],
    );
  }

  /** The call, if its summary is still missing. */
  async findWaiting(callId: string): Promise<CallRow | undefined> {
    return this.#db<CallRow>('calls')
      .where({ call_id: callId })
      .whereNotNull('summary_due_at')
      .first();
  }

  /** @returns false if there is a summary already, or the call was deleted */
  async save(transaction: Knex.Transaction, callId: string, summary: string): Promise<boolean> {
    const saved = await transaction('calls')
      .where({ call_id: callId, has_transcript: true })
      .whereNotNull('summary_due_at')
      .update({ summary_due_at: null, transcription_summary: summary });
    return saved > 0;
  }

  /** Requests overdue summaries again. Calls that ended more than 24 h ago stay without summary. */
  async sweep(): Promise<void> {
    await this.#db.raw(
      `with late as (
         select call_id from calls where summary_due_at < now()
         order by summary_due_at limit ${MAX_SWEPT} for update skip locked
       ), again as (
         update calls set summary_due_at = case
           when has_transcript and ended_at > now() - interval '${GIVE_UP_H} hours'
             then now() + interval '${RETRY_S} s' end
         from late where calls.call_id = late.call_id
         returning calls.call_id, summary_due_at
       )
       select ${ADD_JOB} from again where summary_due_at is not null`,
    );
  }
}
