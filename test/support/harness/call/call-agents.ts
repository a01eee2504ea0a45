import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallRow } from '../../../../src/calls/store/call.model.js';
import type { StoredTool } from '../../../../src/calls/store/turn.model.js';
import type { AgentConfigInput } from '../../../../src/features/agents/config/agent-config.schema.js';
import { connect } from '../../../../src/platform/db/connect.js';
import type { Product } from '../process/product.js';
import type { ConnectionDetails } from './call-client.js';

/** An agent whose facts do not overlap, so that each question has one right answer. */
export const SHOP: AgentConfigInput = {
  greeting: 'Hello, this is the flower shop.',
  prompt: `You are the voice of a flower shop. Answer only from the facts below.

The shop is open from eight in the morning until six in the evening, Monday to Saturday.

A bouquet of twelve red roses costs thirty dollars and includes a vase, a card and fresh greenery.

We deliver within the city for five dollars.

Our gardener Peter Miller teaches a class about orchids every second Tuesday in the greenhouse behind the shop, and everybody is welcome to bring their own plants and ask him about them for as long as they like.`,
};

interface Refusal {
  readonly status: number;
  readonly code: string | null;
  readonly reason?: string;
}

/** A row of `call_turns`. */
export interface StoredTurn {
  readonly index: number;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly cut: boolean;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly latency: Readonly<Record<string, number>> | null;
  readonly tools: readonly StoredTool[] | null;
}

export interface HistoryItem {
  readonly call_id: string;
  readonly agent_name: string;
  readonly call_duration_seconds: number;
  readonly has_transcript: boolean;
  readonly call_type: string;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly transcription_stats: Readonly<Record<string, number>> | null;
}

/** Sends a request below `/api/v1` with the first account's key. */
export async function ask(product: Product, method: string, path: string, body?: unknown) {
  const response = await fetch(`${product.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

/** Creates and deploys an agent. @returns its ID */
export async function makeAgent(
  product: Product,
  config: AgentConfigInput,
  name = 'Flower shop',
): Promise<string> {
  const made = await ask(product, 'POST', '/agent/', { name, config });
  if (made.status !== 201)
    throw new Error(`The agent was not created: ${JSON.stringify(made.body)}`);
  const id = String(made.body.agent_id);
  const deployed = await ask(product, 'POST', `/agent/${id}/deploy`);
  if (deployed.status !== 200)
    throw new Error(`The agent was not deployed: ${JSON.stringify(deployed.body)}`);
  return id;
}

/**
 * Requests connection details for a call. Retries for up to 60 s while the gateway answers 503
 * `OVERLOADED`, which happens on a busy machine. @throws if the request is refused otherwise
 */
export async function requestConnection(
  product: Product,
  agentId: string,
): Promise<ConnectionDetails> {
  for (const until = Date.now() + 60_000; ; await sleep(1_000)) {
    const { status, body } = await ask(product, 'POST', '/connection/connection-details', {
      agent_id: agentId,
    });
    if (status === 200) return body as ConnectionDetails;
    const isToComeAgain = status === 503 && body.code === 'OVERLOADED';
    if (!isToComeAgain || Date.now() > until)
      throw new Error(`The call was refused: ${JSON.stringify(body)}`);
  }
}

/** Requests a call that must be refused. */
export async function refusal(product: Product, body: unknown): Promise<Refusal> {
  const { status, body: said } = await ask(product, 'POST', '/connection/connection-details', body);
  return { status, code: said.code ?? null, ...(said.reason && { reason: said.reason }) };
}

/** Waits up to 60 s until the call has ended and returns its history entry. */
export async function endedCall(product: Product, callId: string): Promise<HistoryItem> {
  for (let waited = 0; waited < 60_000; waited += 250) {
    const { body } = await ask(product, 'GET', '/agent/call-history?limit=100');
    const found = (body.items as HistoryItem[]).find((item) => item.call_id === callId);
    if (found?.status === 'ended') return found;
    await sleep(250);
  }
  throw new Error('The call did not end within a minute');
}

/** Reads the database of a running product. */
export class StoredCalls {
  readonly #db;

  constructor({ dataDir }: Pick<Product, 'dataDir'>) {
    const file = join(dataDir, 'postgres/postmaster.pid');
    if (!existsSync(file)) throw new Error('No database runs in this folder');
    const lines = readFileSync(file, 'utf8').split('\n');
    const [port = '', host = ''] = lines.slice(3);
    this.#db = connect(
      { host: host.trim(), port: Number(port), user: 'parley', database: 'parley' },
      { poolMax: 1 },
    );
  }

  turns(callId: string): Promise<StoredTurn[]> {
    return this.#db('call_turns').where({ call_id: callId }).orderBy('index').select();
  }

  async find(callId: string): Promise<CallRow | undefined> {
    return this.#db<CallRow>('calls').where('call_id', callId).first();
  }

  /** Number of live calls. */
  async live(): Promise<number> {
    const rows = await this.#db('calls').where({ state: 'live' }).count<{ count: number }[]>('*');
    return Number(rows[0]?.count);
  }

  close(): Promise<void> {
    return this.#db.destroy();
  }
}
