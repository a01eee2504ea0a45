import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { LoggedTurn } from '../../../../agents-runtime/contract/call-log.js';
import { CallTurnsRepository } from '../../../../src/calls/store/call-turns.repository.js';
import { CallsRepository } from '../../../../src/calls/store/calls.repository.js';
import type { Agent } from '../../../../src/features/agents/agent.model.js';
import { makeAgentId } from '../../../../src/features/agents/agent.model.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import type { StoredEventWebhook } from '../../../../src/features/agents/config/webhook-settings.js';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import type { WebhookRecorder } from '../../../../src/features/webhooks/webhook-events.js';
import type { SecretBox } from '../../../../src/platform/secrets/secret-box.js';

type Entry = Partial<StoredEventWebhook> & { readonly url: string };

/** Creates an agent with these event webhooks in a new account. */
export async function makeAgent(
  db: Knex,
  box: SecretBox,
  entries: readonly Entry[],
): Promise<Agent> {
  const id = makeAgentId();
  const events = entries.map((entry) => ({
    events: [],
    timeout: 20,
    enabled: true,
    ...entry,
    secret: entry.secret ? box.seal(entry.secret, id) : null,
  }));
  return new AgentsRepository(db).insert({
    id,
    accountId: await new AccountsRepository(db).insert('An account of a test'),
    name: 'Pool',
    config: { webhooks: { events } },
    kbId: null,
    status: 'deployed',
  });
}

/** Stores calls of an agent in the database, without media. */
export class StoredWebhookCalls {
  readonly #calls: CallsRepository;
  readonly #turns: CallTurnsRepository;
  readonly #gatewayId = randomUUID();

  constructor(db: Knex, events: WebhookRecorder) {
    this.#calls = new CallsRepository(db, 0, events);
    this.#turns = new CallTurnsRepository(db, events);
  }

  /** Creates a call whose media is not connected yet. */
  async begin(agent: Agent): Promise<string> {
    const callId = randomUUID();
    await this.#calls.reserve({
      callId,
      accountId: agent.accountId,
      agentId: agent.id,
      agentName: agent.name,
      callType: 'web',
      options: {},
    });
    await this.#calls.claim(callId, this.#gatewayId);
    return callId;
  }

  async start(agent: Agent): Promise<string> {
    const callId = await this.begin(agent);
    await this.#calls.markStarted(callId);
    return callId;
  }

  end(callId: string, reason: Parameters<CallsRepository['end']>[1] = 'user_hangup') {
    return this.#calls.end(callId, reason);
  }

  turn(
    callId: string,
    index: number,
    role: LoggedTurn['role'],
    text: string,
    tools?: LoggedTurn['tools'],
  ): Promise<void> {
    const times = { startMs: index * 1_000, endMs: index * 1_000 + 500 };
    const turn = { index, role, text, cut: false, ...times, ...(tools && { tools }) };
    return this.#turns.save(callId, turn);
  }
}
