import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { CallEventRecorder } from '../../../src/calls/history/call-event-recorder.js';
import { SummariesRepository } from '../../../src/calls/history/summaries.repository.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import type { Agent } from '../../../src/features/agents/agent.model.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { DeliveriesRepository } from '../../../src/features/webhooks/deliveries.repository.js';
import type { WebhookRecorder } from '../../../src/features/webhooks/webhook-events.js';
import { WebhookOutbox } from '../../../src/features/webhooks/webhook-outbox.js';
import { GatewaysRepository } from '../../../src/platform/cluster/gateways.repository.js';
import type { DatabaseConnection } from '../../../src/platform/db/connect.js';
import { SignedLinks } from '../../../src/platform/http/signed-links.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { makeAgent } from '../harness/call/webhook-calls.js';
import { plainEnv } from '../harness/process/run-node.js';

const PROGRAM = fileURLToPath(new URL('./call-ending-program.js', import.meta.url));
/** Number of acknowledged call ends before the kill. */
const MIN_ACKNOWLEDGED = 5;

export interface EndKills {
  readonly db: Knex;
  readonly connection: DatabaseConnection;
  /** An agent with a webhook for `call.completed`. */
  readonly agent: Agent;
  /** The recorder of the gateway that starts after the kill. */
  readonly events: WebhookRecorder;
}

/** Creates the agent and the event recorder. */
export async function setUpKills(db: Knex, connection: DatabaseConnection): Promise<EndKills> {
  const secrets = new SecretKeys(['the secret of the tests']);
  const agent = await makeAgent(db, new SecretBox(secrets), [
    { url: 'https://hook.test/', events: ['call.completed'] },
  ]);
  const events = new CallEventRecorder({
    events: new WebhookOutbox(new AgentsRepository(db), new DeliveriesRepository(db)),
    summaries: new SummariesRepository(db),
    links: new SignedLinks(secrets),
    origin: () => 'https://parley.test',
  });
  return { db, connection, agent, events };
}

/**
 * Kills a process while it ends calls, and ends the remaining calls as the next gateway would.
 * @returns the number of acknowledged call ends
 * @throws if an acknowledged end is lost, or an end is stored incompletely
 */
export async function killEnding({ db, connection, agent, events }: EndKills): Promise<number> {
  const args = [PROGRAM, JSON.stringify(connection), agent.accountId, agent.id];
  const child = spawn(process.execPath, args, {
    env: plainEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged = await killAfter(child, MIN_ACKNOWLEDGED);
  await disconnected(db);
  const calls = new CallsRepository(db, 0, events);
  await new GatewaysRepository(db).removeAll();
  await calls.endOrphaned(randomUUID());
  const { rows } = await db.raw<{ rows: StoredCallState[] }>(
    `select call_id, state, started_at is not null as began, has_transcript,
       (select count(*)::int from webhook_deliveries d
        where d.call_id = calls.call_id and event = 'call.completed') as event_count,
       (summary_due_at is not null)::int as summary_count
     from calls where account_id = ?`,
    [agent.accountId],
  );
  const broken = rows.filter((row) => !isComplete(row));
  if (broken.length > 0) throw new Error(`Stored incompletely: ${JSON.stringify(broken)}`);
  const lost = acknowledged.filter((id) => !rows.some(({ call_id }) => call_id === id));
  if (lost.length > 0) throw new Error(`Acknowledged and lost: ${lost}`);
  await checkSums(db, agent.accountId);
  return acknowledged.length;
}

interface StoredCallState {
  readonly call_id: string;
  readonly state: string;
  readonly began: boolean;
  readonly has_transcript: boolean;
  readonly event_count: number;
  readonly summary_count: number;
}

/** Whether a call is stored completely. A call without a client stays reserved for a minute. */
function isComplete({
  state,
  began,
  has_transcript,
  event_count: eventCount,
  summary_count: summaryCount,
}: StoredCallState): boolean {
  if (state === 'reserved') return eventCount === 0 && summaryCount === 0;
  return (
    state === 'ended' && eventCount === (began ? 1 : 0) && summaryCount === (has_transcript ? 1 : 0)
  );
}

async function killAfter(child: ChildProcess, least: number): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const over = once(child, 'close');
  const lines = createInterface({ input: child.stdout! });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`The process exited with ${code} before the kill`)),
    );
    lines.on('line', (line) => {
      if (acknowledged.push(line) === least) resolve();
    });
  });
  child.removeAllListeners('exit');
  await sleep(randomInt(100)); // at a random point of an end
  child.kill('SIGKILL');
  await over;
  // The last line may be incomplete.
  return acknowledged.filter((line) => line.length === 36);
}

/** Waits until the server has finished the requests of the killed process. */
async function disconnected(db: Knex): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    if (rows.length === 0) return;
    await sleep(20);
  }
  throw new Error('Connections of the dead process stay busy');
}

async function checkSums(db: Knex, accountId: string): Promise<void> {
  const { rows } = await db.raw<{ rows: { counted: number; summed: number; days: number }[] }>(
    `select (select count(*)::int from calls
             where account_id = :accountId and state = 'ended' and started_at is not null) as counted,
       (select coalesce(sum(calls), 0)::int from call_quarter_sums
        where account_id = :accountId) as summed,
       (select coalesce(sum(calls), 0)::int from call_day_sums
        where account_id = :accountId) as days`,
    { accountId },
  );
  const [{ counted, summed, days }] = rows as [(typeof rows)[0]];
  if (counted !== summed || counted !== days) {
    throw new Error(`${counted} calls ended, but the sums are ${summed} and ${days}`);
  }
}
