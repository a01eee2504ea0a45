import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import type { Transport } from '../../../agents-runtime/contract/transport.js';
import { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { LiveEventBus } from '../../../src/calls/monitoring/live-event-bus.js';
import { CallMetrics } from '../../../src/calls/session/call-metrics.js';
import { CallRegistry } from '../../../src/calls/session/call-registry.js';
import {
  CallSessionFactory,
  type CallSessionFactoryParts,
} from '../../../src/calls/session/call-session.factory.js';
import type { CallRow } from '../../../src/calls/store/call.model.js';
import { CallsRepository } from '../../../src/calls/store/calls.repository.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { ToneVoice } from '../../support/fakes/tone-voice.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { CONFIG } from '../../support/harness/call/call-harness.js';

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
  const live = new CallRegistry();
  const hub = new LiveEventBus();
  const registry = new Registry();
  const recorded: string[] = [];
  const models = {
    dictionaryFor: async (): Promise<undefined> => undefined,
    voiceFor: () => new ToneVoice({ sampleRate: 16_000 }),
    toolsFor: async () => undefined,
    voiceActivity: { open: () => ({ push: () => undefined, close: () => undefined }) },
    speechCache: new SpeechCache(systemClock),
    recogniserFor: () => ({ id: 'none', languages: ['en'] }),
    liveRecogniserFor: () => undefined,
    replyModelFor: () => ({ id: 'none' }),
    fallbackModelsFor: () => [],
    fallbackVoicesFor: () => [],
    voicesFor: () => undefined,
  };
  const recordings = {
    begin: () => ({ write: () => undefined, end: () => recorded.push('end') }),
  };
  const parts = {
    ...{ calls, live, models, hub, recordings, agents: new AgentsRepository(db) },
    resolveConfig: () => ({ ...CONFIG, recordingEnabled: true }),
    ticker: new FrameTicker(systemClock),
    metrics: new CallMetrics(registry),
    replays: undefined,
  };
  const opening = new CallSessionFactory({
    gatewayId: randomUUID(),
    ...parts,
  } as unknown as CallSessionFactoryParts);
  const callId = await reserve();
  const row = async () => (await db<CallRow>('calls').where({ call_id: callId }).first())!;
  /** Calls that this gateway's metrics count as running. */
  const counted = async () => {
    const lines = (await registry.metrics()).matchAll(/^calls\{.*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const take = async () => {
    const taken = await opening.take(callId, PHONE);
    if (typeof taken === 'string') throw new Error(`The call was refused: ${taken}`);
    return taken;
  };
  const gateway = { live, hub, models, recorded, counted };
  return { agent_id, callId, change, reserve, row, opening, take, ...gateway };
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

/** A transport of which nobody plays anything. */
function silentTransport(): Transport {
  const ignore = () => undefined;
  return {
    ...{ sampleRate: 16_000, hasEchoCanceller: true, backlogBytes: 0 },
    ...{ canPause: true, callerDelayMs: 0 },
    ...{ sendAudio: ignore, pause: ignore, resumeFrom: ignore, clear: ignore },
    ...{ send: ignore, close: ignore },
  };
}

const log = pino({ level: 'silent' });

describe('a call whose transport does not start', () => {
  it('leaves nothing behind', async () => {
    const { take, live, hub, callId, counted, recorded, row } = await reserved();
    const taken = await take();
    expect(() =>
      taken.begin(silentTransport(), { log }, () => {
        throw new Error('the socket is gone');
      }),
    ).toThrow('the socket is gone');
    await taken.drop();
    await vi.waitFor(async () => {
      expect(live.size).toBe(0);
      expect(hub.find(callId)).toBeUndefined();
      expect(await counted()).toBe(0);
      expect(recorded).toEqual(['end']);
      expect(await row()).toMatchObject({ state: 'ended', ended_reason: 'error_transport' });
    });
  });

  it('leaves nothing behind where the call itself cannot be made', async () => {
    const { take, live, hub, callId, counted, recorded, models } = await reserved();
    const taken = await take();
    models.voiceActivity.open = () => {
      throw new Error('the model is gone');
    };
    const start = vi.fn();
    expect(() => taken.begin(silentTransport(), { log }, start)).toThrow('the model is gone');
    await taken.drop();
    expect(start).not.toHaveBeenCalled();
    expect(live.size).toBe(0);
    expect(hub.find(callId)).toBeUndefined();
    expect(await counted()).toBe(0);
    expect(recorded).toEqual(['end']);
  });
});

describe('a drain', () => {
  /** A call that is being taken, and how to let that go on. */
  async function beingTaken() {
    const gateway = await reserved();
    const [reached, released] = [new AbortController(), new AbortController()];
    gateway.models.dictionaryFor = async () => {
      reached.abort();
      await once(released.signal, 'abort');
      return undefined;
    };
    const taking = gateway.take();
    await once(reached.signal, 'abort');
    let isDrained = false;
    const drain = async (ms: number) => {
      await gateway.live.drain(ms);
      isDrained = true;
    };
    return {
      ...gateway,
      taking,
      drain,
      isDrained: () => isDrained,
      letGoOn: () => released.abort(),
    };
  }

  it('waits for a call that is being taken when it begins, and for its end', async () => {
    const { taking, drain, isDrained, letGoOn, live, callId } = await beingTaken();
    const draining = drain(60_000);
    letGoOn();
    const taken = await taking;
    expect(isDrained()).toBe(false);
    taken.begin(silentTransport(), { log }, () => undefined);
    expect(live.size).toBe(1);
    expect(isDrained()).toBe(false);
    await live.get(callId)?.end('user_hangup');
    await draining;
  });

  it('waits no longer for one that is given up', async () => {
    const { taking, drain, letGoOn } = await beingTaken();
    const draining = drain(60_000);
    letGoOn();
    await (await taking).drop();
    await draining;
  });

  it('lets no call begin that was not taken before its time was over', async () => {
    const { taking, drain, letGoOn, live, row, counted } = await beingTaken();
    await drain(0);
    letGoOn();
    const taken = await taking;
    const begin = () => taken.begin(silentTransport(), { log }, () => undefined);
    expect(begin).toThrow('stopping');
    await taken.drop();
    expect(live.size).toBe(0);
    expect(await counted()).toBe(0);
    expect((await row()).state).toBe('ended');
  });
});
