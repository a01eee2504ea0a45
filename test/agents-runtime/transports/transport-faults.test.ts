import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallInput } from '../../../agents-runtime/contract/transport.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { BridgedRoom } from '../../../agents-runtime/transports/livekit/bridged-room.js';
import { AudioSocketConnection } from '../../../agents-runtime/transports/telephony/audiosocket-connection.js';
import type { CarrierEvent } from '../../../agents-runtime/transports/telephony/carrier.js';
import { PhoneTransport } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import { WebSocketTransport } from '../../../agents-runtime/transports/websocket/websocket-transport.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

function raise(): never {
  throw new Error('a bug');
}

/** A call that throws for any input except its end. */
function failingCall() {
  const ended: EndedReason[] = [];
  const call: CallInput = {
    connected: () => undefined,
    audio: raise,
    typed: raise,
    say: raise,
    played: raise,
    lost: raise,
    regained: raise,
    hangUp: (reason) => ended.push(reason),
  };
  return { call, ended };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('exception behind a transport, which ends only that call', () => {
  it('for a message of a call socket', async () => {
    const { call, ended } = failingCall();
    const faults: unknown[] = [];
    const socket = Object.assign(new EventEmitter(), { send: () => undefined, bufferedAmount: 0 });
    const transport = new WebSocketTransport({
      clock: new VirtualClock(),
      callId: 'call',
      resumeToken: 'token',
      sampleRate: 24_000,
      audio: { up: 'pcm', down: 'pcm' },
      onFault: (error) => faults.push(error),
    });
    transport.start(call, socket as unknown as WebSocket);
    socket.emit('message', Buffer.alloc(640), true);
    socket.emit('message', Buffer.from('{"type":"text","text":"hello"}'), false);
    await settled();
    expect(faults).toHaveLength(2);
    expect(ended).toEqual(['error_transport']);
  });

  it('for the loss of a call socket', async () => {
    const { call, ended } = failingCall();
    const socket = Object.assign(new EventEmitter(), { send: () => undefined, bufferedAmount: 0 });
    const transport = new WebSocketTransport({
      clock: new VirtualClock(),
      callId: 'call',
      resumeToken: 'token',
      sampleRate: 24_000,
      audio: { up: 'pcm', down: 'pcm' },
    });
    transport.start(call, socket as unknown as WebSocket);
    socket.emit('close');
    await settled();
    expect(ended).toEqual(['error_transport']);
  });

  it('for an event, a frame and a timer of a phone transport', async () => {
    const clock = new VirtualClock();
    const { call, ended } = failingCall();
    const faults: string[] = [];
    const phoneTransport = new PhoneTransport({
      clock,
      ticker: new FrameTicker(clock),
      link: { backlogBytes: 0, act: raise, close: () => undefined },
      traits: { sampleRate: 8_000, buffers: false },
      onFault: (fault) => faults.push(fault),
    });
    phoneTransport.start(call);
    phoneTransport.handle({ type: 'dtmf', digit: '1' });
    phoneTransport.sendAudio(new Float32Array(320));
    clock.advance(1_500);
    await settled();
    expect(faults.length).toBeGreaterThanOrEqual(2);
    expect(ended).toEqual(['error_transport']);
    phoneTransport.close();
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('for a message of a bridge about one of its rooms', async () => {
    const { call, ended } = failingCall();
    const faults: unknown[] = [];
    const port = { backlogBytes: 0, send: () => undefined, audio: () => undefined };
    const caller = { identity: 'caller', isPhone: false, attributes: {} };
    const room = new BridgedRoom(port, caller, new VirtualClock(), (error) => faults.push(error));
    room.start(call);
    room.onAudio(new Int16Array(320));
    room.handle({ type: 'played', playedMs: 20 });
    await settled();
    expect(faults).toHaveLength(2);
    expect(ended).toEqual(['error_transport']);
  });

  it('for data of an AudioSocket', async () => {
    const socket = Object.assign(new EventEmitter(), {
      setNoDelay: () => undefined,
      setKeepAlive: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      destroy: () => undefined,
    });
    const events: CarrierEvent[] = [];
    const ended: string[] = [];
    new AudioSocketConnection(socket as unknown as Socket, new VirtualClock(), {
      opened: async () => true,
      event: (event) => {
        events.push(event);
        if (event.type !== 'error') raise();
      },
      ended: (how) => ended.push(how),
    });
    const uuid = Buffer.concat([Buffer.from([1, 0, 16]), Buffer.alloc(16, 7)]);
    const audio = Buffer.concat([Buffer.from([0x10, 0x01, 0x40]), Buffer.alloc(320)]);
    socket.emit('data', uuid);
    socket.emit('data', audio);
    await settled();
    socket.emit('data', audio);
    await settled();
    expect(events.at(-1)).toMatchObject({ type: 'error', isFatal: true });
    expect(ended).toEqual(['broken']);
  });
});
