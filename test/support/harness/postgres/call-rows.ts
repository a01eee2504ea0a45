import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { CallTurnRow } from '../../../../src/calls/store/turn.model.js';

export interface CallSeed {
  readonly accountId: string;
  readonly agentId?: string;
  readonly agentName?: string;
  /** Time at which the media was connected; null: never. */
  readonly startedAt: Date | null;
  /** Null while the call runs. */
  readonly seconds?: number | null;
  readonly credits?: number;
  readonly turns?: readonly TurnSeed[];
}

export interface TurnSeed
  extends Partial<Pick<CallTurnRow, 'latency' | 'tools' | 'sources' | 'providers'>> {
  readonly role: 'user' | 'agent';
  readonly text: string;
}

/** Inserts an ended or running call. @returns its ID */
export async function insertCall(db: Knex, seed: CallSeed): Promise<string> {
  const { startedAt, seconds = 60, turns = [] } = seed;
  const callId = randomUUID();
  const createdAt = new Date((startedAt?.getTime() ?? Date.now()) - 5_000);
  const isOver = seconds !== null;
  await db('calls').insert({
    call_id: callId,
    account_id: seed.accountId,
    agent_id: seed.agentId ?? randomUUID(),
    agent_name: seed.agentName ?? 'Pool',
    call_type: 'web',
    state: isOver ? 'ended' : 'live',
    reserved_until: createdAt,
    created_at: createdAt,
    started_at: startedAt,
    ended_at: isOver ? new Date((startedAt ?? createdAt).getTime() + seconds * 1_000) : null,
    ended_reason: isOver ? 'user_hangup' : null,
    credits_used: seed.credits ?? 0,
  });
  const rows = turns.map(({ role, text, latency = null, tools, sources, providers }, index) => ({
    call_id: callId,
    index,
    role,
    text,
    cut: text.endsWith('…'),
    start_ms: index * 61_000,
    end_ms: index * 61_000 + 900,
    latency,
    tools: tools ? JSON.stringify(tools) : null,
    sources: sources ? JSON.stringify(sources) : null,
    providers,
  }));
  if (rows.length > 0) await db('call_turns').insert(rows);
  return callId;
}
