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
const PATIENCE = { timeout: 40_000, interval: 50 };
const SPAN = { startMs: 0, endMs: 10 };

const speak = (wire: RoomTransport, ms: number) =>
  wire.sendAudio(tone(1_000, RATE, (RATE * ms) / 1000));
const agentTones = (guest: RoomParticipant) =>
  guest.all('heard').filter(({ from, level }) => from === 'agent-1' && level > 0.05);
const isNear = (hz: number) => (heard: number) => Math.abs(heard - hz) <= 75;

describeWith(['livekit-server'], 'a LiveKit room as the wire of a call', (tools) => {
  const pools: BridgePool[] = [];
  const wires: RoomTransport[] = [];
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
    // What an attempt that failed left would count in those after it.
    for (const wire of wires.splice(0)) {
      wire.close();
      await wire.left;
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

  /** A caller in a room of their own, and a call that listens to them. */
  async function call(pool = rooms, guest = caller, grant = {}) {
    const room = `room-${++count}`;
    const token = await agentToken(server, room);
    const invitation = { callId: room, url: url(), token, callerIdentity: 'caller' };
    const [wire] = await Promise.all([
      pool.join(invitation, new AbortController().signal),
      enter(guest, room, 'caller', grant),
    ]);
    wires.push(wire);
    const ear = new CallInputRecorder();
    wire.start(ear);
    return { room, wire, ear };
  }

  async function speakOn(guest: RoomParticipant, hz: number, options: object = {}) {
    const sid = await guest.execute({ type: 'publish', sampleRate: RATE, ...options });
    await guest.execute({ type: 'tone', hz, ms: 100_000 });
    return String(sid);
  }

  it('carries sound, texts and state both ways, and only listens to the caller', async () => {
    const { room, wire, ear } = await call();
    expect(wire.caller).toEqual({ identity: 'caller', isPhone: false, attributes: {} });
    expect([wire.hasEchoCanceller, ear.isConnected]).toEqual([true, true]);
    await enter(other, room, 'listener');
    await speakOn(other, 1_500);
    const trackSid = await speakOn(caller, 400);
    await expect.poll(() => ear.hasTone(400), PATIENCE).toBe(true);

    // Until the call has begun.
    const states = () => caller.all('attributes').map((told) => told.attributes['lk.agent.state']);
    await expect.poll(states, PATIENCE).toContain('initializing');
    wire.send({ type: 'state', state: 'speaking' });
    // A stall may cost who listens some of it.
    speak(wire, 1_500);
    await expect.poll(() => ear.playedMs.at(-1), PATIENCE).toBe(1_500);
    for (const guest of [caller, other]) {
      await expect
        .poll(() => agentTones(guest).filter(({ hz }) => isNear(1_000)(hz)).length, PATIENCE)
        .toBeGreaterThan(8);
      await expect
        .poll(() => guest.all('data').map(({ text }) => JSON.parse(text)), PATIENCE)
        .toContainEqual({ type: 'agent_state', state: 'speaking' });
    }
    expect(ear.tones.filter(isNear(1_500))).toEqual([]);

    await other.execute({ type: 'type', text: 'I am nobody' });
    await caller.execute({ type: 'data', bytes: 60_000 });
    // LiveKit's clients may refuse to send as much; what comes is nothing that the agent takes.
    await caller.execute({ type: 'data', bytes: 1_048_576 }).catch(() => undefined);
    await caller.execute({ type: 'type', text: 'x'.repeat(1_000_000) });
    await caller.execute({ type: 'type', text: '  ahoy  ' });
    await expect.poll(() => ear.texts, PATIENCE).toEqual(['ahoy']);
    wire.send({
      type: 'transcript',
      segment: 'u1',
      role: 'user',
      text: 'a',
      final: false,
      ...SPAN,
    });
    wire.send({
      type: 'transcript',
      segment: 'u1',
      role: 'user',
      text: 'ahoy',
      final: true,
      ...SPAN,
    });
    wire.send({
      type: 'transcript',
      segment: 'a2',
      role: 'agent',
      text: 'Hi',
      final: true,
      ...SPAN,
    });
    const texts = (topic: string) => caller.all('text').filter((text) => text.topic === topic);
    await expect.poll(() => texts('lk.chat').at(-1)?.text, PATIENCE).toBe('Hi');
    // Each is a stream of its own, and one may be read before another that was sent first.
    const finalOf = (segment: string) =>
      texts('lk.transcription').find(
        ({ attributes }) =>
          attributes['lk.segment_id'] === segment &&
          attributes['lk.transcription_final'] === 'true',
      );
    await expect
      .poll(() => finalOf('u1'), PATIENCE)
      .toMatchObject({ from: 'caller', text: 'ahoy' });
    expect(finalOf('u1')?.attributes['lk.transcribed_track_id']).toBe(trackSid);
    await expect.poll(() => finalOf('a2'), PATIENCE).toMatchObject({ from: 'agent-1', text: 'Hi' });

    // Muted, taken away and published again at another rate.
    await service.mutePublishedTrack(room, 'caller', trackSid, true);
    await caller.execute({ type: 'unpublish' });
    await speakOn(caller, 700, { sampleRate: 16_000 });
    await expect.poll(() => ear.hasTone(700), PATIENCE).toBe(true);
    expect(ear.reasons).toEqual([]);
    await caller.execute({ type: 'leave' });
    await expect.poll(() => ear.reasons, PATIENCE).toEqual(['user_hangup']);
    await wire.left;
  });

  it('holds what is being said at a pause, and stops it at a cut', async () => {
    const { wire, ear } = await call();
    speak(wire, 400);
    await expect.poll(() => agentTones(caller).length, PATIENCE).toBeGreaterThan(2);
    wire.pause();
    await expect.poll(() => ear.playedMs.length, PATIENCE).toBeGreaterThan(0);
    const isSilent = () => {
      const last = caller.all('heard').slice(-10);
      return last.length === 10 && last.every(({ level }) => level < 0.01);
    };
    await expect.poll(isSilent, PATIENCE).toBe(true);
    const heldAt = ear.playedMs.at(-1)!;
    expect(heldAt).toBeLessThanOrEqual(400);
    wire.resumeFrom(heldAt);
    await expect.poll(() => ear.playedMs.at(-1), PATIENCE).toBe(400);
    for (let i = 0; i < 20; i++) speak(wire, 100);
    wire.clear();
    speak(wire, 100);
    await expect.poll(() => ear.playedMs.at(-1), PATIENCE).toBe(2_500);
    // Of two seconds hardly anything was played.
    expect(agentTones(caller).length).toBeLessThan(80);
    wire.close();
    await wire.left;
    expect(ear.reasons).toEqual([]);
  });

  it('hears first what was said before the agent was there; goes on with who comes back', async () => {
    const { room, wire, ear } = await call();
    await speakOn(caller, 400, { hasEarlySound: true });
    const early = Int16Array.from(tone(1_000, 24_000, 24_000), (sample) => 20_000 * sample);
    const bytes = Buffer.from(early.buffer).toString('base64');
    await caller.execute({ type: 'early', mimeType: 'audio/raw', bytes });
    await expect.poll(() => ear.hasTone(400), PATIENCE).toBe(true);
    const firstLive = ear.tones.findIndex(isNear(400));
    expect(ear.tones.slice(0, firstLive).filter(isNear(1_000)).length).toBeGreaterThan(40);

    speak(wire, 400);
    await enter(other, room, 'caller');
    await expect.poll(() => ear.gains.length, PATIENCE).toBe(1);
    expect(ear.losses).toEqual([15_000]);
    await speakOn(other, 700);
    await expect.poll(() => ear.hasTone(700), PATIENCE).toBe(true);
    speak(wire, 400);
    await expect.poll(() => agentTones(other).length, PATIENCE).toBeGreaterThan(5);
    expect(ear.reasons).toEqual([]);
    wire.close();
    await wire.left;
  });

  it('ends a call with a reason, whoever ends it', async () => {
    const [deleted, removed] = await Promise.all([call(), call(rooms, other)]);
    await service.deleteRoom(deleted.room);
    await service.removeParticipant(removed.room, 'caller');
    const attributes = { 'sip.phoneNumber': '+15550111', 'sip.callStatus': 'ringing' };
    await expect.poll(() => deleted.ear.reasons, PATIENCE).toEqual(['operator_ended']);
    const phone = await call(rooms, caller, { isPhone: true, attributes });
    expect([phone.wire.hasEchoCanceller, phone.wire.caller.isPhone]).toEqual([false, true]);
    expect(phone.wire.caller.attributes).toMatchObject(attributes);
    let isHeard = false;
    void phone.wire.hasCallerSubscribed.then(() => {
      isHeard = true;
    });
    // It rings until its status says otherwise.
    await caller.execute({ type: 'attributes', attributes: { 'sip.callStatus': 'active' } });
    await expect.poll(() => isHeard, PATIENCE).toBe(true);
    await caller.execute({ type: 'dtmf', keys: [[5, '5']] });
    await expect.poll(() => phone.ear.texts, PATIENCE).toEqual(['Keypad input: 5']);
    await caller.execute({ type: 'leave' });
    await expect.poll(() => removed.ear.reasons, PATIENCE).toEqual(['operator_ended']);
    // Somebody comes with the agent's own name, which takes it out.
    const replaced = await call(rooms, other);
    await enter(caller, replaced.room, 'agent-1');
    await expect.poll(() => replaced.ear.reasons, PATIENCE).toEqual(['error_transport']);
    await expect.poll(() => phone.ear.reasons, PATIENCE).toEqual(['user_hangup']);
    for (const { wire } of [deleted, removed, replaced, phone]) await wire.left;
    expect(rooms.rooms).toBe(0);
  });

  it('rejects a join that cannot be, and leaves nothing behind', async () => {
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
    await expect.poll(() => rooms.rooms, PATIENCE).toBe(0);
    const inside = () => service.listParticipants('empty').catch(() => []);
    await expect.poll(inside, PATIENCE).toEqual([]);
  });

  it('ends only the calls of a bridge that dies', async () => {
    const pool = openPool({ maxRooms: 1 });
    const [first] = pool.pids;
    const one = await call(pool);
    const two = await call(pool, other);
    process.kill(first!, 'SIGKILL');
    await expect.poll(() => one.ear.reasons, PATIENCE).toEqual(['error_transport']);
    await one.wire.left;
    const next = await call(pool);
    await speakOn(other, 400);
    await expect.poll(() => two.ear.hasTone(400), PATIENCE).toBe(true);
    expect([...two.ear.reasons, ...next.ear.reasons]).toEqual([]);
  });

  it('loses a caller when LiveKit is gone, and leaves a room that is gone too', async () => {
    const doomed = await startLiveKitServer(tools['livekit-server']);
    try {
      const token = await agentToken(doomed, 'doomed');
      const address = doomed.url.replace('http', 'ws');
      const invitation = { callId: 'x', url: address, token, callerIdentity: undefined };
      const [wire] = await Promise.all([
        rooms.join(invitation, new AbortController().signal),
        roomToken(doomed, 'doomed', 'caller').then((mine) =>
          caller.execute({ type: 'join', url: address, token: mine }),
        ),
      ]);
      wires.push(wire);
      const ear = new CallInputRecorder();
      wire.start(ear);
      await doomed.stop();
      await expect.poll(() => ear.losses.length + ear.reasons.length, PATIENCE).toBeGreaterThan(0);
      wire.close();
      await wire.left;
      await expect.poll(() => rooms.rooms, PATIENCE).toBe(0);
    } finally {
      await doomed.stop();
    }
  });
});
