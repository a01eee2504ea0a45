import type { Knex } from 'knex';
import { LATENCY_PARTS } from '../../../agents-runtime/session/turn-latency.js';

/** The newest turns describe the agent's current state, and bound the work. */
const MAX_TURNS = 10_000;
const SHARES = [0.5, 0.95, 0.99] as const;

/** The parts of a turn's latency and their sum. */
export const MEASURED = [...LATENCY_PARTS, 'total'] as const;

/** p50, p95 and p99 in ms of each part; null where no turn has it. */
export type AgentLatency = Readonly<
  Record<(typeof MEASURED)[number], readonly (number | null)[] | null>
> & { readonly turns: number };

/** Percentiles of an agent's response latency. */
export class AgentLatencyRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Reads the newest 10,000 turns of the last `days` days. */
  async find(agentId: string, days: number): Promise<AgentLatency> {
    const part = (name: string) =>
      `percentile_cont(array[${SHARES}]) within group (order by (latency ->> '${name}')::float8) as ${name}`;
    const { rows } = await this.#db.raw<{ rows: AgentLatency[] }>(
      `select count(*)::int as turns, ${MEASURED.map(part).join(', ')}
       from (
         select latency from calls join call_turns using (call_id)
         where agent_id = ? and created_at > now() - make_interval(days => ?)
           and latency is not null
         order by created_at desc limit ${MAX_TURNS}
       ) newest`,
      [agentId, days],
    );
    return rows[0]!;
  }
}
