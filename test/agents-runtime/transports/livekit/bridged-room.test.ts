import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BridgedRoom } from '../../../../agents-runtime/transports/livekit/bridged-room.js';
import type { ToBridge } from '../../../../agents-runtime/transports/livekit/ipc-messages.js';
import { CallInputRecorder } from '../../../support/fakes/call-input-recorder.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

const SECOND = 16_000;

function setUp({ isPhone = false } = {}) {
  const clock = new VirtualClock();
  const messages: ToBridge[] = [];
  const sent: Int16Array[] = [];
  const port = {
    backlogBytes: 7,
    send: (message: ToBridge) => void messages.push(message),
    audio: (samples: Int16Array) => void sent.push(samples),
  };
  const transport = new BridgedRoom(port, { identity: 'caller', isPhone, attributes: {} }, clock);
  return { clock, messages, sent, transport, recorder: new CallInputRecorder() };
}

describe('bridged room transport', () => {
  it('buffers the last 13 seconds of audio before the call starts', () => {
    const { transport, recorder } = setUp();
    for (let i = 0; i < 20; i++) transport.onAudio(new Int16Array(SECOND));
    transport.start(recorder);
    expect([recorder.isConnected, recorder.samples]).toEqual([true, 13 * SECOND]);
    transport.onAudio(new Int16Array(SECOND));
    expect(recorder.samples).toBe(14 * SECOND);
  });

  it('fills a gap with silence of its duration, within limits', () => {
    const { transport, recorder } = setUp();
    transport.start(recorder);
    transport.onGap(640);
    transport.onGap(2 ** 32 - 1);
    expect(recorder.samples).toBe(640 + 8 * SECOND);
  });

  it('reports earlier events at the start', () => {
    const left = setUp();
    left.transport.handle({ type: 'ended', reason: 'user_hangup', why: 'left' });
    left.transport.start(left.recorder);
    expect(left.recorder.reasons).toEqual(['user_hangup']);

    const lost = setUp();
    lost.transport.handle({ type: 'lost' });
    lost.transport.start(lost.recorder);
    expect(lost.recorder.losses).toEqual([15_000]);

    const back = setUp();
    back.transport.handle({ type: 'lost' });
    back.transport.handle({ type: 'regained', playedMs: 0 });
    back.transport.start(back.recorder);
    expect(back.recorder.losses).toEqual([]);
    expect(back.messages).toEqual([{ type: 'seek', positionMs: 0 }]);
  });

  it("continues at the call's position when a caller returns", () => {
    const { transport, recorder, messages } = setUp();
    transport.start(recorder);
    transport.handle({ type: 'lost' });
    transport.handle({ type: 'regained', playedMs: 260 });
    expect([recorder.losses, recorder.gains]).toEqual([[15_000], [260]]);
    expect(messages).toEqual([{ type: 'seek', positionMs: 260 }]);
  });

  it('makes a turn of the keys of a phone, which has no echo canceller', () => {
    const { transport, recorder, clock } = setUp({ isPhone: true });
    transport.start(recorder);
    for (const digit of ['4', '2']) transport.handle({ type: 'dtmf', digit });
    clock.advance(5_000);
    expect([transport.hasEchoCanceller, recorder.texts]).toEqual([false, ['Keypad input: 42']]);
  });

  it("resolves `hasCallerSubscribed` on the bridge's message or when the room is over", async () => {
    const [subscribed, over] = [setUp(), setUp()];
    const seen: string[] = [];
    void subscribed.transport.hasCallerSubscribed.then(() => seen.push('hears'));
    void over.transport.hasCallerSubscribed.then(() => seen.push('over'));
    subscribed.transport.handle({ type: 'played', playedMs: 0 });
    await setImmediate();
    expect(seen).toEqual([]);
    subscribed.transport.handle({ type: 'caller-subscribed' });
    over.transport.died();
    await setImmediate();
    expect(seen).toEqual(['hears', 'over']);
  });

  it("leaves once, sends nothing afterwards, and has left on the bridge's message or its death", async () => {
    const { transport, messages, sent } = setUp();
    transport.close();
    transport.close();
    transport.send({ type: 'state', state: 'listening' });
    transport.sendAudio(new Float32Array(960));
    expect([messages, sent]).toEqual([[{ type: 'leave' }], []]);
    transport.handle({ type: 'left' });
    await transport.left;

    const gone = setUp();
    gone.transport.start(gone.recorder);
    gone.transport.died();
    await gone.transport.left;
    expect(gone.recorder.reasons).toEqual(['error_transport']);
  });
});
