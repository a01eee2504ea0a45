import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AgentsRepository } from '../../src/agents/agents.repository.js';
import { CallOpening, type CallOpeningParts } from '../../src/calls/call-opening.js';
import type { CallRow } from '../../src/calls/call-row.js';
import { CallsRepository } from '../../src/calls/calls.repository.js';
import { LiveCalls } from '../../src/calls/live-calls.js';
import { CONFIG } from '../support/call-harness.js';
import { withControlPlane } from '../support/control-plane.js';
import { ToneVoice } from '../support/tone-voice.js';

const plane = withControlPlane();

/** A reserved call of a deployed agent, and the opening of the gateway that its wire reaches. */
async function reserved() {
  const { db } = plane.database;
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  const change = async (what: 'deploy' | 'pause') => {
    expect((await ask('POST', `/agent/${agent_id}/${what}`)).status).toBe(200);
  };
  await change('deploy');
  // One slot: whatever stays taken is missed.
  const calls = new CallsRepository(db, 1);
  const reserve = async () => {
    const call = { callId: randomUUID(), agentName: 'Pool', options: {}, toNumber: '+15550199' };
    const callType = 'sip_inbound';
    const refusal = await calls.reserve({ ...call, accountId, agentId: agent_id, callType });
    return refusal ?? call.callId;
  };
  const live = new LiveCalls();
  const models = {
    dictionaryFor: async () => undefined,
    voiceFor: () => new ToneVoice({ sampleRate: 16_000 }),
    toolsFor: async () => undefined,
  };
  const parts = { calls, live, models, configOf: () => CONFIG, agents: new AgentsRepository(db) };
  // Who takes a call needs no more than these; the rest begins it.
  const opening = new CallOpening({
    gatewayId: randomUUID(),
    ...parts,
  } as unknown as CallOpeningParts);
  const callId = await reserve();
  const row = async () => (await db<CallRow>('calls').where({ call_id: callId }).first())!;
  return { agent_id, callId, change, reserve, row, live, models, opening };
}

const PHONE = { mustBeDeployed: true };

describe('a call that its wire has come for', () => {
  it('is taken once', async () => {
    const { callId, opening, row, reserve } = await reserved();
    const taken = await opening.take(callId, PHONE);
    expect(taken).toMatchObject({ row: { call_id: callId }, voiceRate: 16_000 });
    expect(await opening.take(callId, PHONE)).toBe('gone');
    expect((await row()).state).toBe('live');
    if (typeof taken === 'string') return;
    await taken.drop();
    expect(await row()).toMatchObject({ state: 'ended', ended_reason: 'error_transport' });
    expect(await reserve()).toMatch(/-/);
  });

  it('is none, and its slot free, where the agent was paused or deleted meanwhile', async () => {
    const paused = await reserved();
    await paused.change('pause');
    expect(await paused.opening.take(paused.callId, PHONE)).toBe('agent_not_deployed');
    expect(await paused.row()).toMatchObject({ state: 'ended', started_at: null });
    expect(await paused.reserve()).toMatch(/-/);
    const deleted = await reserved();
    await plane.database.db('agents').where({ id: deleted.agent_id }).delete();
    expect(await deleted.opening.take(deleted.callId, PHONE)).toBe('no_agent');
    expect((await deleted.row()).state).toBe('ended');
    expect(await deleted.reserve()).toMatch(/-/);
  });

  it('is held with a paused agent where its client was let in to one', async () => {
    const { change, callId, opening } = await reserved();
    await change('pause');
    expect(await opening.take(callId)).toMatchObject({ row: { call_id: callId } });
  });

  it('is left to other gateways where this one is about to stop', async () => {
    const { live, callId, opening, row } = await reserved();
    await live.drain(0);
    expect(await opening.take(callId, PHONE)).toBe('draining');
    expect((await row()).state).toBe('reserved');
  });

  it('keeps no slot where it could not be made ready', async () => {
    const { models, callId, opening, row, reserve } = await reserved();
    models.dictionaryFor = () => Promise.reject(new Error('the database is away'));
    await expect(opening.take(callId, PHONE)).rejects.toThrow('away');
    expect((await row()).state).toBe('ended');
    expect(await reserve()).toMatch(/-/);
  });
});
