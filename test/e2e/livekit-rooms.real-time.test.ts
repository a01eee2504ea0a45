import { RoomServiceClient } from 'livekit-server-sdk';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  BridgePool,
  type BridgePoolOptions,
} from '../../agents-runtime/transports/livekit/bridge-pool.js';
import type { RoomTransport } from '../../agents-runtime/transports/livekit/room-transport.js';
import { CallInputRecorder } from '../support/fakes/call-input-recorder.js';
import { tone } from '../support/harness/audio/tones.js';
import {
  agentToken,
  RoomParticipant,
  roomToken,
} from '../support/harness/call/room-participant.js';
import {
  type LiveKitServer,
  startLiveKitServer,
} from '../support/harness/process/livekit-server.js';
import { describeWith } from '../support/harness/process/required-tools.js';

const RATE = 48_000;
const WAIT_OPTIONS = { timeout: 40_000, interval: 50 };
const SPAN = { startMs: 0, endMs: 10 };

const speak = (transport: RoomTransport, ms: number) =>
  transport.sendAudio(tone(1_000, RATE, (RATE * ms) / 1000));
const agentTones = (guest: RoomParticipant) =>
  guest.all('heard').filter(({ from, level }) => from === 'agent-1' && level > 0.05);
const isNear = (hz: number) => (heard: number) => Math.abs(heard - hz) <= 75;

describeWith(['livekit-server'], 'LiveKit room as call transport', (tools) => {
  const pools: BridgePool[] = [];
  const transports: RoomTransport[] = [];
  let server: LiveKitServer;
  let service: RoomServiceClient;
  let rooms: BridgePool;
  let caller: RoomParticipant;
  let other: RoomParticipant;
  let count = 0;
  beforeAll(async () => {
    caller = new RoomParticipant();
    other = new RoomParticipant();
    server = await startLiveKitServer(tools['livekit-server']);
    service = new RoomServiceClient(server.url, server.apiKey, server.apiSecret);
    rooms = openPool();
  });
  afterEach(async () => {
    // Removes what a failed attempt has left.
    for (const transport of transports.splice(0)) {
      transport.close();
      await transport.left;
    }
  });
  afterAll(async () => {
    await Promise.all([caller, other].map((guest) => guest.kill()));
    await Promise.all(pools.map((pool) => pool.close()));
    await server?.stop();
  });

  function openPool(options: Partial<BridgePoolOptions> = {}): BridgePool {
    const pool = new BridgePool({
      log: { info: () => undefined, warn: () => undefined },
      ...options,
    });
    pools.push(pool);
    return pool;
  }

  const url = () => server.url.replace('http', 'ws');

  async function enter(guest: RoomParticipant, room: string, identity: string, grant = {}) {
    const token = await roomToken(server, room, identity, grant);
    await guest.execute({ type: 'join', url: url(), token });
  }

  /** A caller in a new room, and call input that records its audio. */
  async function call(pool = rooms, guest = caller, grant = {}) {
    const room = `room-${++count}`;
    const token = await agentToken(server, room);
    const invitation = { callId: room, url: url(), token, callerIdentity: 'caller' };
    const [transport] = await Promise.all([
      pool.join(invitation, new AbortController().signal),
      enter(guest, room, 'caller', grant),
    ]);
    transports.push(transport);
    const recorder = new CallInputRecorder();
    transport.start(recorder);
    return { room, transport, recorder };
  }

  async function speakOn(guest: RoomParticipant, hz: number, options: object = {}) {
    const sid = await guest.execute({ type: 'publish', sampleRate: RATE, ...options });
    await guest.execute({ type: 'tone', hz, ms: 100_000 });
    return String(sid);
  }

  it('transfers audio, texts and state in both directions, and receives audio from the caller only', async () => {
    const { room, transport, recorder } = await call();
    expect(transport.caller).toEqual({ identity: 'caller', isPhone: false, attributes: {} });
    expect([transport.hasEchoCanceller, recorder.isConnected]).toEqual([true, true]);
    await enter(other, room, 'listener');
    await speakOn(other, 1_500);
    const trackSid = await speakOn(caller, 400);
    await expect.poll(() => recorder.hasTone(400), WAIT_OPTIONS).toBe(true);

    // Waits until the call has started.
    const states = () =>
      caller.all('attributes').map((report) => report.attributes['lk.agent.state']);
    await expect.poll(states, WAIT_OPTIONS).toContain('initializing');
    transport.send({ type: 'state', state: 'speaking' });
    // Longer than the audio that a stalled listener may lose.
    speak(transport, 1_500);
    await expect.poll(() => recorder.playedMs.at(-1), WAIT_OPTIONS).toBe(1_500);
    for (const guest of [caller, other]) {
      await expect
        .poll(() => agentTones(guest).filter(({ hz }) => isNear(1_000)(hz)).length, WAIT_OPTIONS)
        .toBeGreaterThan(8);
      await expect
        .poll(() => guest.all('data').map(({ text }) => JSON.parse(text)), WAIT_OPTIONS)
        .toContainEqual({ type: 'agent_state', state: 'speaking' });
    }
    expect(recorder.tones.filter(isNear(1_500))).toEqual([]);

    await other.execute({ type: 'type', text: 'I am nobody' });
    await caller.execute({ type: 'data', bytes: 60_000 });
    // LiveKit's client may refuse this size; the agent ignores such data.
    await caller.execute({ type: 'data', bytes: 1_048_576 }).catch(() => undefined);
    await caller.execute({ type: 'type', text: 'x'.repeat(1_000_000) });
    await caller.execute({ type: 'type', text: '  ahoy  ' });
    await expect.poll(() => recorder.texts, WAIT_OPTIONS).toEqual(['ahoy']);
    transport.send({
      type: 'transcript',
      segment: 'u1',
      role: 'user',
      text: 'a',
      final: false,
      ...SPAN,
    });
    transport.send({
      type: 'transcript',
      segment: 'u1',
      role: 'user',
      text: 'ahoy',
      final: true,
      ...SPAN,
    });
    transport.send({
      type: 'transcript',
      segment: 'a2',
      role: 'agent',
      text: 'Hi',
      final: true,
      ...SPAN,
    });
    const texts = (topic: string) => caller.all('text').filter((text) => text.topic === topic);
    await expect.poll(() => texts('lk.chat').at(-1)?.text, WAIT_OPTIONS).toBe('Hi');
    // Each text is a separate stream, so texts may arrive out of order.
    const finalOf = (segment: string) =>
      texts('lk.transcription').find(
        ({ attributes }) =>
          attributes['lk.segment_id'] === segment &&
          attributes['lk.transcription_final'] === 'true',
      );
    await expect
      .poll(() => finalOf('u1'), WAIT_OPTIONS)
      .toMatchObject({ from: 'caller', text: 'ahoy' });
    expect(finalOf('u1')?.attributes['lk.transcribed_track_id']).toBe(trackSid);
    await expect
      .poll(() => finalOf('a2'), WAIT_OPTIONS)
      .toMatchObject({ from: 'agent-1', text: 'Hi' });

    // The track is muted, unpublished and published again at another sample rate.
    await service.mutePublishedTrack(room, 'caller', trackSid, true);
    await caller.execute({ type: 'unpublish' });
    await speakOn(caller, 700, { sampleRate: 16_000 });
    await expect.poll(() => recorder.hasTone(700), WAIT_OPTIONS).toBe(true);
    expect(recorder.reasons).toEqual([]);
    await caller.execute({ type: 'leave' });
    await expect.poll(() => recorder.reasons, WAIT_OPTIONS).toEqual(['user_hangup']);
    await transport.left;
  });

  it('pauses and clears the playout', async () => {
    const { transport, recorder } = await call();
    speak(transport, 400);
    await expect.poll(() => agentTones(caller).length, WAIT_OPTIONS).toBeGreaterThan(2);
    transport.pause();
    await expect.poll(() => recorder.playedMs.length, WAIT_OPTIONS).toBeGreaterThan(0);
    const isSilent = () => {
      const last = caller.all('heard').slice(-10);
      return last.length === 10 && last.every(({ level }) => level < 0.01);
    };
    await expect.poll(isSilent, WAIT_OPTIONS).toBe(true);
    const pausedAtMs = recorder.playedMs.at(-1)!;
    expect(pausedAtMs).toBeLessThanOrEqual(400);
    transport.resumeFrom(pausedAtMs);
    await expect.poll(() => recorder.playedMs.at(-1), WAIT_OPTIONS).toBe(400);
    for (let i = 0; i < 20; i++) speak(transport, 100);
    transport.clear();
    speak(transport, 100);
    await expect.poll(() => recorder.playedMs.at(-1), WAIT_OPTIONS).toBe(2_500);
    // Almost nothing of the two seconds was played.
    expect(agentTones(caller).length).toBeLessThan(80);
    transport.close();
    await transport.left;
    expect(recorder.reasons).toEqual([]);
  });

  it('delivers speech from before the join first, and continues when the caller returns', async () => {
    const { room, transport, recorder } = await call();
    await speakOn(caller, 400, { hasEarlySound: true });
    const early = Int16Array.from(tone(1_000, 24_000, 24_000), (sample) => 20_000 * sample);
    const bytes = Buffer.from(early.buffer).toString('base64');
    await caller.execute({ type: 'early', mimeType: 'audio/raw', bytes });
    await expect.poll(() => recorder.hasTone(400), WAIT_OPTIONS).toBe(true);
    const firstLive = recorder.tones.findIndex(isNear(400));
    expect(recorder.tones.slice(0, firstLive).filter(isNear(1_000)).length).toBeGreaterThan(40);

    speak(transport, 400);
    await enter(other, room, 'caller');
    await expect.poll(() => recorder.gains.length, WAIT_OPTIONS).toBe(1);
    expect(recorder.losses).toEqual([15_000]);
    await speakOn(other, 700);
    await expect.poll(() => recorder.hasTone(700), WAIT_OPTIONS).toBe(true);
    speak(transport, 400);
    await expect.poll(() => agentTones(other).length, WAIT_OPTIONS).toBeGreaterThan(5);
    expect(recorder.reasons).toEqual([]);
    transport.close();
    await transport.left;
  });

  it('ends a call with a reason, whichever side ends it', async () => {
    const [deleted, removed] = await Promise.all([call(), call(rooms, other)]);
    await service.deleteRoom(deleted.room);
    await service.removeParticipant(removed.room, 'caller');
    const attributes = { 'sip.phoneNumber': '+15550111', 'sip.callStatus': 'ringing' };
    await expect.poll(() => deleted.recorder.reasons, WAIT_OPTIONS).toEqual(['operator_ended']);
    const phone = await call(rooms, caller, { isPhone: true, attributes });
    expect([phone.transport.hasEchoCanceller, phone.transport.caller.isPhone]).toEqual([
      false,
      true,
    ]);
    expect(phone.transport.caller.attributes).toMatchObject(attributes);
    let hasSubscribed = false;
    void phone.transport.hasCallerSubscribed.then(() => {
      hasSubscribed = true;
    });
    // The call rings until its status attribute changes.
    await caller.execute({ type: 'attributes', attributes: { 'sip.callStatus': 'active' } });
    await expect.poll(() => hasSubscribed, WAIT_OPTIONS).toBe(true);
    await caller.execute({ type: 'dtmf', keys: [[5, '5']] });
    await expect.poll(() => phone.recorder.texts, WAIT_OPTIONS).toEqual(['Keypad input: 5']);
    await caller.execute({ type: 'leave' });
    await expect.poll(() => removed.recorder.reasons, WAIT_OPTIONS).toEqual(['operator_ended']);
    // A participant with the agent's identity replaces the agent.
    const replaced = await call(rooms, other);
    await enter(caller, replaced.room, 'agent-1');
    await expect.poll(() => replaced.recorder.reasons, WAIT_OPTIONS).toEqual(['error_transport']);
    await expect.poll(() => phone.recorder.reasons, WAIT_OPTIONS).toEqual(['user_hangup']);
    for (const { transport } of [deleted, removed, replaced, phone]) await transport.left;
    expect(rooms.rooms).toBe(0);
  });

  it('rejects an impossible join and leaves nothing behind', async () => {
    const { signal } = new AbortController();
    const forged = { callId: 'x', url: url(), token: 'a.b.c', callerIdentity: undefined };
    const others = { ...server, apiSecret: 'another'.repeat(6) };
    const refused = await Promise.all([
      'a.b.c',
      roomToken(others, 'empty', 'agent-1', { agent: true }),
      roomToken(server, 'empty', 'agent-1', { agent: true, ttl: '-1h' }),
    ]);
    for (const token of refused) {
      await expect(rooms.join({ ...forged, token }, signal)).rejects.toThrow('could not be joined');
      await expect(caller.execute({ type: 'join', url: url(), token })).rejects.toThrow();
    }
    const token = await agentToken(server, 'empty');
    const nowhere = { ...forged, token, url: 'ws://127.0.0.1:9' };
    await expect(rooms.join(nowhere, signal)).rejects.toThrow('could not be joined');
    const calledOff = new AbortController();
    const waiting = rooms.join({ ...forged, token }, calledOff.signal);
    calledOff.abort();
    await expect(waiting).rejects.toThrow('called off');
    await expect.poll(() => rooms.rooms, WAIT_OPTIONS).toBe(0);
    const inside = () => service.listParticipants('empty').catch(() => []);
    await expect.poll(inside, WAIT_OPTIONS).toEqual([]);
  });

  it('ends only the calls of a bridge that dies', async () => {
    const pool = openPool({ maxRooms: 1 });
    const [first] = pool.pids;
    const one = await call(pool);
    const two = await call(pool, other);
    process.kill(first!, 'SIGKILL');
    await expect.poll(() => one.recorder.reasons, WAIT_OPTIONS).toEqual(['error_transport']);
    await one.transport.left;
    const next = await call(pool);
    await speakOn(other, 400);
    await expect.poll(() => two.recorder.hasTone(400), WAIT_OPTIONS).toBe(true);
    expect([...two.recorder.reasons, ...next.recorder.reasons]).toEqual([]);
  });

  it('ends the call when LiveKit stops, and leaves a deleted room', async () => {
    const stoppedServer = await startLiveKitServer(tools['livekit-server']);
    try {
      const token = await agentToken(stoppedServer, 'doomed');
      const address = stoppedServer.url.replace('http', 'ws');
      const invitation = { callId: 'x', url: address, token, callerIdentity: undefined };
      const [transport] = await Promise.all([
        rooms.join(invitation, new AbortController().signal),
        roomToken(stoppedServer, 'doomed', 'caller').then((mine) =>
          caller.execute({ type: 'join', url: address, token: mine }),
        ),
      ]);
      transports.push(transport);
      const recorder = new CallInputRecorder();
      transport.start(recorder);
      await stoppedServer.stop();
      await expect
        .poll(() => recorder.losses.length + recorder.reasons.length, WAIT_OPTIONS)
        .toBeGreaterThan(0);
      transport.close();
      await transport.left;
      await expect.poll(() => rooms.rooms, WAIT_OPTIONS).toBe(0);
    } finally {
      await stoppedServer.stop();
    }
  });
});
