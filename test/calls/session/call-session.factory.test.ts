import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import type { Transport } from '../../../agents-runtime/contract/transport.js';
import { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { createCallTap } from '../../../src/calls/monitoring/call-tap.js';
import { LiveEventBus } from '../../../src/calls/monitoring/live-event-bus.js';
import { createRecordingObserver } from '../../../src/calls/recordings/recording-observers.js';
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

/** A reserved call of a deployed agent, and the session factory of its gateway. */
async function reserved() {
  const { db } = plane.database;
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const { agent_id } = (await ask('POST', '/agent', { name: 'Pool', config: {} })).body;
  const change = async (what: 'deploy' | 'pause') => {
    expect((await ask('POST', `/agent/${agent_id}/${what}`)).status).toBe(200);
  };
  await change('deploy');
  // With a single slot, a slot that is not released is noticed.
  const calls = new CallsRepository(db, 1);
  const reserve = async () => {
    const call = { callId: randomUUID(), agentName: 'Pool', options: {}, toNumber: '+15550199' };
    const callType = 'sip_inbound';
    const refusal = await calls.reserve({ ...call, accountId, agentId: agent_id, callType });
    return refusal ?? call.callId;
  };
  const live = new CallRegistry();
  const eventBus = new LiveEventBus();
  const registry = new Registry();
  const recorded: string[] = [];
  const models = {
    dictionaryFor: async (): Promise<undefined> => undefined,
    voiceFor: () => new ToneVoice({ sampleRate: 16_000 }),
    toolsFor: async () => undefined,
    voiceActivity: { open: () => ({ push: () => undefined, close: () => undefined }) },
    speechCache: new SpeechCache(systemClock),
    speechToTextFor: () => ({ id: 'none', languages: ['en'] }),
    streamingSpeechToTextFor: () => undefined,
    languageModelFor: () => ({ id: 'none' }),
    fallbackModelsFor: () => [],
    fallbackVoicesFor: () => [],
    findVoiceFor: () => undefined,
  };
  const recordings = {
    begin: () => ({ write: () => undefined, end: () => recorded.push('end') }),
  };
  const metrics = new CallMetrics(registry);
  const parts = {
    ...{ calls, registry: live, providers: models, agents: new AgentsRepository(db) },
    resolveConfig: () => ({ ...CONFIG, recordingEnabled: true }),
    ticker: new FrameTicker(systemClock),
    observers: [
      () => metrics.observeCall(),
      createCallTap(eventBus),
      createRecordingObserver(recordings),
    ],
  };
  const sessions = new CallSessionFactory({
    gatewayId: randomUUID(),
    ...parts,
  } as unknown as CallSessionFactoryParts);
  const callId = await reserve();
  const row = async () => (await db<CallRow>('calls').where({ call_id: callId }).first())!;
  /** Number of running calls in the gateway's metrics. */
  const counted = async () => {
    const lines = (await registry.metrics()).matchAll(/^calls\{.*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const claim = async () => {
    const session = await sessions.claim(callId, PHONE);
    if (typeof session === 'string') throw new Error(`The call was refused: ${session}`);
    return session;
  };
  const gateway = { live, eventBus, models, recorded, counted };
  return { agent_id, callId, change, reserve, row, sessions, claim, ...gateway };
}

const PHONE = { mustBeDeployed: true };

describe('claimed call', () => {
  it('is claimed once', async () => {
    const { callId, sessions, row, reserve } = await reserved();
    const session = await sessions.claim(callId, PHONE);
    expect(session).toMatchObject({ row: { call_id: callId }, voiceSampleRate: 16_000 });
    expect(await sessions.claim(callId, PHONE)).toBe('not_reserved');
    expect((await row()).state).toBe('live');
    if (typeof session === 'string') return;
    await session.cancel();
    expect(await row()).toMatchObject({ state: 'ended', ended_reason: 'error_transport' });
    expect(await reserve()).toMatch(/-/);
  });

  it('is refused and frees its slot if the agent was paused or deleted meanwhile', async () => {
    const paused = await reserved();
    await paused.change('pause');
    expect(await paused.sessions.claim(paused.callId, PHONE)).toBe('agent_not_deployed');
    expect(await paused.row()).toMatchObject({ state: 'ended', started_at: null });
    expect(await paused.reserve()).toMatch(/-/);
    const deleted = await reserved();
    await plane.database.db('agents').where({ id: deleted.agent_id }).delete();
    expect(await deleted.sessions.claim(deleted.callId, PHONE)).toBe('no_agent');
    expect((await deleted.row()).state).toBe('ended');
    expect(await deleted.reserve()).toMatch(/-/);
  });

  it('starts with a paused agent if its client was admitted for one', async () => {
    const { change, callId, sessions } = await reserved();
    await change('pause');
    expect(await sessions.claim(callId)).toMatchObject({ row: { call_id: callId } });
  });

  it('stays reserved for other gateways while this one is draining', async () => {
    const { live, callId, sessions, row } = await reserved();
    await live.drain(0);
    expect(await sessions.claim(callId, PHONE)).toBe('draining');
    expect((await row()).state).toBe('reserved');
  });

  it('frees its slot if its preparation fails', async () => {
    const { models, callId, sessions, row, reserve } = await reserved();
    models.dictionaryFor = () => Promise.reject(new Error('the database is away'));
    await expect(sessions.claim(callId, PHONE)).rejects.toThrow('away');
    expect((await row()).state).toBe('ended');
    expect(await reserve()).toMatch(/-/);
  });
});

/** A transport without a client. */
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

describe('call whose transport does not start', () => {
  it('leaves nothing behind', async () => {
    const { claim, live, eventBus, callId, counted, recorded, row } = await reserved();
    const session = await claim();
    expect(() =>
      session.start(silentTransport(), { log }, () => {
        throw new Error('the socket is gone');
      }),
    ).toThrow('the socket is gone');
    await session.cancel();
    await vi.waitFor(async () => {
      expect(live.size).toBe(0);
      expect(eventBus.find(callId)).toBeUndefined();
      expect(await counted()).toBe(0);
      expect(recorded).toEqual(['end']);
      expect(await row()).toMatchObject({ state: 'ended', ended_reason: 'error_transport' });
    });
  });

  it('leaves nothing behind if the construction of the call fails', async () => {
    const { claim, live, eventBus, callId, counted, recorded, models } = await reserved();
    const session = await claim();
    models.voiceActivity.open = () => {
      throw new Error('the model is gone');
    };
    const start = vi.fn();
    expect(() => session.start(silentTransport(), { log }, start)).toThrow('the model is gone');
    await session.cancel();
    expect(start).not.toHaveBeenCalled();
    expect(live.size).toBe(0);
    expect(eventBus.find(callId)).toBeUndefined();
    expect(await counted()).toBe(0);
    expect(recorded).toEqual(['end']);
  });
});

describe('drain', () => {
  /** A call whose claim is pending, and a function that completes the claim. */
  async function beingTaken() {
    const gateway = await reserved();
    const [reached, released] = [new AbortController(), new AbortController()];
    gateway.models.dictionaryFor = async () => {
      reached.abort();
      await once(released.signal, 'abort');
      return undefined;
    };
    const taking = gateway.claim();
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

  it('waits for a pending claim and for the end of its call', async () => {
    const { taking, drain, isDrained, letGoOn, live, callId } = await beingTaken();
    const draining = drain(60_000);
    letGoOn();
    const session = await taking;
    expect(isDrained()).toBe(false);
    session.start(silentTransport(), { log }, () => undefined);
    expect(live.size).toBe(1);
    expect(isDrained()).toBe(false);
    await live.get(callId)?.end('user_hangup');
    await draining;
  });

  it('does not wait for a cancelled call', async () => {
    const { taking, drain, letGoOn } = await beingTaken();
    const draining = drain(60_000);
    letGoOn();
    await (await taking).cancel();
    await draining;
  });

  it('prevents the start of calls that are claimed after its deadline', async () => {
    const { taking, drain, letGoOn, live, row, counted } = await beingTaken();
    await drain(0);
    letGoOn();
    const session = await taking;
    const begin = () => session.start(silentTransport(), { log }, () => undefined);
    expect(begin).toThrow('stopping');
    await session.cancel();
    expect(live.size).toBe(0);
    expect(await counted()).toBe(0);
    expect((await row()).state).toBe('ended');
  });
});
