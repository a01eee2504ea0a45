import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BridgedRoom } from '../../../../agents-runtime/transports/livekit/bridged-room.js';
import type { ToBridge } from '../../../../agents-runtime/transports/livekit/ipc-messages.js';
import { CallInputRecorder } from '../../../support/fakes/call-input-recorder.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

const SECOND = 16_000;

function setUp({ isPhone = false } = {}) {
  const clock = new VirtualClock();
  const told: ToBridge[] = [];
  const sent: Int16Array[] = [];
  const port = {
    backlogBytes: 7,
    send: (message: ToBridge) => void told.push(message),
    audio: (samples: Int16Array) => void sent.push(samples),
  };
  const wire = new BridgedRoom(port, { identity: 'caller', isPhone, attributes: {} }, clock);
  return { clock, told, sent, wire, ear: new CallInputRecorder() };
}

describe('a room as a wire', () => {
  it('keeps what is said before the call begins, the last 13 seconds of it', () => {
    const { wire, ear } = setUp();
    for (let i = 0; i < 20; i++) wire.onAudio(new Int16Array(SECOND));
    wire.start(ear);
    expect([ear.isConnected, ear.samples]).toEqual([true, 13 * SECOND]);
    wire.onAudio(new Int16Array(SECOND));
    expect(ear.samples).toBe(14 * SECOND);
  });

  it('fills a gap with silence of its length, within bounds', () => {
    const { wire, ear } = setUp();
    wire.start(ear);
    wire.onGap(640);
    wire.onGap(2 ** 32 - 1);
    expect(ear.samples).toBe(640 + 8 * SECOND);
  });

  it('says at the start what has happened before it', () => {
    const left = setUp();
    left.wire.handle({ type: 'ended', reason: 'user_hangup', why: 'left' });
    left.wire.start(left.ear);
    expect(left.ear.reasons).toEqual(['user_hangup']);

    const lost = setUp();
    lost.wire.handle({ type: 'lost' });
    lost.wire.start(lost.ear);
    expect(lost.ear.losses).toEqual([15_000]);

    const back = setUp();
    back.wire.handle({ type: 'lost' });
    back.wire.handle({ type: 'regained', playedMs: 0 });
    back.wire.start(back.ear);
    expect(back.ear.losses).toEqual([]);
    expect(back.told).toEqual([{ type: 'seek', positionMs: 0 }]);
  });

  it('goes on where the call says, when a caller is regained', () => {
    const { wire, ear, told } = setUp();
    wire.start(ear);
    wire.handle({ type: 'lost' });
    wire.handle({ type: 'regained', playedMs: 260 });
    expect([ear.losses, ear.gains]).toEqual([[15_000], [260]]);
    expect(told).toEqual([{ type: 'seek', positionMs: 260 }]);
  });

  it('makes a turn of the keys of a telephone, which has no echo canceller', () => {
    const { wire, ear, clock } = setUp({ isPhone: true });
    wire.start(ear);
    for (const digit of ['4', '2']) wire.handle({ type: 'dtmf', digit });
    clock.advance(5_000);
    expect([wire.hasEchoCanceller, ear.texts]).toEqual([false, ['Keypad input: 42']]);
  });

  it('knows that the caller hears when the bridge says so, or the room is over', async () => {
    const [hears, over] = [setUp(), setUp()];
    const seen: string[] = [];
    void hears.wire.hasCallerSubscribed.then(() => seen.push('hears'));
    void over.wire.hasCallerSubscribed.then(() => seen.push('over'));
    hears.wire.handle({ type: 'played', playedMs: 0 });
    await setImmediate();
    expect(seen).toEqual([]);
    hears.wire.handle({ type: 'caller-subscribed' });
    over.wire.died();
    await setImmediate();
    expect(seen).toEqual(['hears', 'over']);
  });

  it('leaves once, says nothing after that, and has left when the bridge says so or is gone', async () => {
    const { wire, told, sent } = setUp();
    wire.close();
    wire.close();
    wire.send({ type: 'state', state: 'listening' });
    wire.sendAudio(new Float32Array(960));
    expect([told, sent]).toEqual([[{ type: 'leave' }], []]);
    wire.handle({ type: 'left' });
    await wire.left;

    const gone = setUp();
    gone.wire.start(gone.ear);
    gone.wire.died();
    await gone.wire.left;
    expect(gone.ear.reasons).toEqual(['error_transport']);
  });
});
