import type { Knex } from 'knex';
import { ApiError } from '../../platform/http/api-error.js';
import type { Slice } from '../../platform/http/validation/pagination.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import { lockAccount } from '../ownership/lock-account.js';
import { claimNumber, withoutForeignNumbers } from '../ownership/number-ownership.js';
import type { Agent, AgentChange, AgentStatus, NewAgent } from './agent.model.js';
import type { StoredConfig } from './config/stored-config.js';

interface AgentRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly config: StoredConfig;
  readonly kb_id: number | null;
  readonly status: AgentStatus;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The table `agents`, except `secret-rotation.ts`. Methods with an account see only its rows. */
export class AgentsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The same repository in a transaction. */
  within(transaction: Knex.Transaction): AgentsRepository {
    return new AgentsRepository(transaction);
  }

  /** @throws ApiError KNOWLEDGE_BASE_NOT_FOUND if the knowledge base was deleted in the meantime */
  async insert(agent: NewAgent): Promise<Agent> {
    try {
      const [row] = await this.#db<AgentRow>('agents')
        .insert({
          id: agent.id,
          account_id: agent.accountId,
          name: agent.name,
          config: agent.config,
          kb_id: agent.kbId,
          status: agent.status,
        })
        .returning('*');
      return toAgent(row!);
    } catch (error) {
      throw explainViolation(error) ?? error;
    }
  }

  async find(accountId: string, id: string): Promise<Agent | undefined> {
    if (!isUuid(id)) return undefined;
    const row = await this.#db<AgentRow>('agents').where({ account_id: accountId, id }).first();
    return row && toAgent(row);
  }

  /**
   * The agent of any account that answers a number, because inbound calls have no API key. A number of
   * another account rings at no agent; a number without an owner may ring.
   */
  async findDeployedByNumber(phoneNumber: string): Promise<Agent | undefined> {
    const deployed = this.#db<AgentRow & { phone_number: string | null }>('agents').where({
      phone_number: phoneNumber,
      status: 'deployed',
    });
    const row: AgentRow | undefined = await withoutForeignNumbers(deployed).first();
    return row && toAgent(row);
  }

  /** The newest first, ties by id. */
  async list(accountId: string, statuses: readonly AgentStatus[], slice: Slice): Promise<Agent[]> {
    const rows = await this.#db<AgentRow>('agents')
      .where({ account_id: accountId })
      .whereIn('status', statuses)
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(slice.limit)
      .offset(slice.offset);
    return rows.map(toAgent);
  }

  /** The number of deployed agents of all accounts without `llm_model`. */
  async countWithoutModel(): Promise<number> {
    const [row] = await this.#db<AgentRow>('agents')
      .where({ status: 'deployed' })
      .whereRaw("coalesce(config->>'llm_model', '') = ''")
      .count<{ count: number }[]>('*');
    return Number(row!.count);
  }

  /** The number of agents of an account by status. */
  async countByStatus(accountId: string): Promise<Readonly<Record<AgentStatus, number>>> {
    const rows = await this.#db('agents')
      .where({ account_id: accountId })
      .groupBy('status')
      .select<{ status: AgentStatus; count: number }[]>('status', this.#db.raw('count(*)'));
    const counts = { deployed: 0, paused: 0, disabled: 0 };
    for (const { status, count } of rows) counts[status] = count;
    return counts;
  }

  /**
   * Applies the change that `decide` returns for the current agent; `decide` may throw. Changes of one
   * agent are serialised. An empty change does not touch the version and the time.
   * @throws ApiError PHONE_NUMBER_IN_USE if another deployed agent or account has the number,
   *   PHONE_NUMBER_NOT_OWNED, KNOWLEDGE_BASE_NOT_FOUND if the knowledge base was deleted in the meantime
   */
  async change(
    accountId: string,
    id: string,
    decide: (agent: Agent) => AgentChange,
  ): Promise<Agent | undefined> {
    if (!isUuid(id)) return undefined;
    try {
      return await this.#db.transaction(async (transaction) => {
        const agents = () => transaction<AgentRow>('agents').where({ account_id: accountId, id });
        await lockAccount(transaction, accountId, 'key-share');
        const before = await agents().forUpdate().first();
        if (!before) return undefined;
        const agent = toAgent(before);
        const change = decide(agent);
        const columns = toColumns(change);
        if (Object.keys(columns).length === 0) return agent;
        const claimed = numberToClaim(agent, change);
        if (claimed) await claimNumber(transaction, accountId, claimed);
        const [after] = await agents()
          .update({ ...columns, ...nextVersion(transaction) })
          .returning('*');
        return toAgent(after!);
      });
    } catch (error) {
      throw explainViolation(error) ?? error;
    }
  }

  /** Removes a dictionary from the agents that use it, as part of its deletion. */
  async forgetDictionary(
    transaction: Knex.Transaction,
    accountId: string,
    dictionaryId: string,
  ): Promise<void> {
    const nothing = JSON.stringify({ dictionary_id: null, dictionary_version: null });
    await transaction<AgentRow>('agents')
      .where({ account_id: accountId })
      .whereRaw("lower(config #>> '{tts_params,dictionary_id}') = ?", [dictionaryId.toLowerCase()])
      .update({
        config: transaction.raw(
          "jsonb_set(config, '{tts_params}', (config -> 'tts_params') || ?::jsonb)",
          [nothing],
        ),
        ...nextVersion(transaction),
      });
  }
}

/** The number that a change newly deploys. */
function numberToClaim(agent: Agent, change: AgentChange): string | undefined {
  const { status, config } = { ...agent, ...change };
  const number = config.phone_number;
  const wasClaimed = agent.status === 'deployed' && agent.config.phone_number === number;
  return status === 'deployed' && number && !wasClaimed ? number : undefined;
}

/** The columns that every change updates. */
function nextVersion(transaction: Knex.Transaction) {
  return {
    version: transaction.raw('version + 1'),
    // Later changes have a later time, even within one millisecond.
    updated_at: transaction.raw("greatest(now(), updated_at + interval '1 ms')"),
  };
}

function explainViolation(cause: unknown): ApiError | undefined {
  if (!(cause instanceof Error && 'constraint' in cause)) return undefined;
  switch (cause.constraint) {
    case 'agents_deployed_number':
      return new ApiError(
        'PHONE_NUMBER_IN_USE',
        "Another deployed agent has this agent's phone number: pause that agent or use another number",
        { cause },
      );
    case 'agents_kb_id_fkey':
      return new ApiError(
        'KNOWLEDGE_BASE_NOT_FOUND',
        'The knowledge base was deleted: choose another one',
        { cause },
      );
    default:
      return undefined;
  }
}

function toColumns(change: AgentChange): Partial<AgentRow> {
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.config !== undefined && { config: change.config }),
    ...(change.kbId !== undefined && { kb_id: change.kbId }),
    ...(change.status !== undefined && { status: change.status }),
  };
}

function toAgent(row: AgentRow): Agent {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    config: row.config,
    kbId: row.kb_id,
    status: row.status,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
