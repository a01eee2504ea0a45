import { expect, it } from 'vitest';
import { AgentLatencyRepository } from '../../../src/calls/dashboard/agent-latency.repository.js';
import { agentLatencyRoutes } from '../../../src/calls/dashboard/agent-latency.routes.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { insertCall } from '../../support/harness/postgres/call-rows.js';

const plane = withControlPlane({
  routes: (db) =>
    agentLatencyRoutes({
      latencies: new AgentLatencyRepository(db),
      agents: new AgentsRepository(db),
    }),
});

it('the agent latency is reported by part over the requested days', async () => {
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const { body: agent } = await ask('POST', '/agent', { name: 'Quick', config: {} });
  const path = `/agent/${agent.agent_id}/latency`;
  const { db } = plane.database;
  const talk = async (daysAgo: number, totals: readonly number[]) => {
    const callId = await insertCall(db, {
      accountId,
      agentId: agent.agent_id,
      startedAt: new Date(Date.now() - daysAgo * 86_400_000),
      turns: totals.map(() => ({ role: 'agent', text: 'Yes.' })),
    });
    for (const [index, total] of totals.entries()) {
      const latency = { endpointing: 500, llm: total - 500, total };
      await db('call_turns').where({ call_id: callId, index }).update({ latency });
    }
  };
  const nothing = { p50: null, p95: null, p99: null };
  expect((await ask('GET', path)).body).toMatchObject({ days: 7, turns: 0, total: nothing });
  await talk(1, [600, 700, 800]);
  await talk(20, [5_000]);
  expect((await ask('GET', path)).body).toMatchObject({
    agent_id: agent.agent_id,
    turns: 3,
    total: { p50: 700, p95: 790, p99: 798 },
    endpointing: { p50: 500, p95: 500, p99: 500 },
    llm: { p50: 200 },
    tts: nothing,
  });
  expect((await ask('GET', `${path}?days=30`)).body).toMatchObject({
    turns: 4,
    total: { p50: 750 },
  });
  expect((await ask('GET', `${path}?days=0`)).status).toBe(422);
  const other = await plane.asNewAccount();
  expect((await other('GET', path)).body.code).toBe('AGENT_NOT_FOUND');
});
