import type { Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../agents-runtime/contract/clock.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { AudioSocketCall } from '../../../tools/simulator/audiosocket-call.js';
import { encodePacket, PacketReader } from '../../../tools/simulator/audiosocket-packets.js';
import { startScriptedTcp } from '../../support/fakes/scripted-gateway.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const UUID = '40325ec2-5efd-4bd3-805f-53576e581d13';
const SLIN = 0x10;
const frame = Buffer.alloc(320, 0x20);

const closing: { close(): void }[] = [];
afterEach(() => {
  for (const each of closing.splice(0)) each.close();
});

async function callTo(
  talk: (socket: Socket) => void = () => undefined,
  { sampleRate = 8000, clock = systemClock }: { sampleRate?: number; clock?: Clock } = {},
) {
  const received: Buffer[] = [];
  const server = await startScriptedTcp((socket) => {
    socket.on('data', (chunk) => received.push(chunk));
    talk(socket);
  });
  const { port } = server;
  const call = new AudioSocketCall({
    clock,
    host: '127.0.0.1',
    port,
    uuid: UUID,
    sampleRate,
  });
  closing.push(server, { close: () => call.hangUp() });
  return { call, bytes: () => Buffer.concat(received) };
}

describe('AudioSocket packets', () => {
  it('are complete in any chunking by TCP', () => {
    const packets = fc.array(
      fc.record({ kind: fc.integer({ min: 0, max: 255 }), payload: fc.uint8Array() }),
    );
    fc.assert(
      fc.property(
        packets,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (all, cuts) => {
          const encoded = Buffer.concat(
            all.map(({ kind, payload }) => encodePacket(kind, payload)),
          );
          const reader = new PacketReader();
          const read: { kind: number; payload: number[] }[] = [];
          for (let at = 0, i = 0; at < encoded.length; at += cuts[i++ % cuts.length]!) {
            const chunk = encoded.subarray(at, at + cuts[i % cuts.length]!);
            reader.push(chunk, (kind, payload) => read.push({ kind, payload: [...payload] }));
          }
          expect(read).toEqual(all.map(({ kind, payload }) => ({ kind, payload: [...payload] })));
          expect(reader.pending).toBe(0);
        },
      ),
    );
  });
});

describe('simulated AudioSocket call', () => {
  it('sends its UUID first, then a frame every 20 ms and DTMF, and closes when the caller hangs up', async () => {
    const { call, bytes } = await callTo();
    expect(await call.ring()).toBe('answered');
    await call.leg.until(() => call.leg.atMs >= 60);
    call.press('5');
    call.hangUp();
    expect(await call.ended).toEqual({ by: 'caller', how: 'hung up' });
    await expect.poll(() => bytes().toString('hex').endsWith('03000135')).toBe(true);
    expect(bytes().toString('hex', 0, 22)).toBe('01001040325ec25efd4bd3805f53576e581d13100140');
    expect(call.faults).toEqual([]);
  });

  it('uses the packet kind of each sample rate', async () => {
    const { call, bytes } = await callTo(undefined, { sampleRate: 16_000 });
    await call.ring();
    await expect.poll(() => bytes().length).toBeGreaterThan(19 + 643);
    expect(bytes().toString('hex', 19, 22)).toBe('120280');
    expect(
      () =>
        new AudioSocketCall({
          clock: systemClock,
          host: '',
          port: 1,
          uuid: UUID,
          sampleRate: 7000,
        }),
    ).toThrow(/does not support 7000 Hz/);
  });

  it("plays received audio and accepts the gateway's hang-up", async () => {
    const clock = new VirtualClock();
    let gateway: Socket | undefined;
    const talk = (socket: Socket) => {
      gateway = socket;
      for (let i = 0; i < 10; i++) socket.write(encodePacket(SLIN, frame));
    };
    const { call } = await callTo(talk, { clock });
    await call.ring();
    await expect.poll(() => call.leg.waitingMs).toBe(200);
    clock.advance(1_000);
    gateway?.write(encodePacket(0x00));
    expect(await call.ended).toEqual({ by: 'gateway', how: 'hung up' });
    const { agent } = call.leg.audio;
    // The phone delays the first frames, which avoids a gap later.
    expect([agent.indexOf(0x2020), agent.lastIndexOf(0x2020)]).toEqual([4 * 160, 14 * 160 - 1]);
    expect(call.faults).toEqual([]);
  });

  it.each([
    ['DTMF, which only Asterisk may send', encodePacket(0x03, Buffer.from('5'))],
    ['an unknown kind', encodePacket(0x42, frame)],
    ['a sample rate other than the channel’s', encodePacket(0x12, Buffer.alloc(640))],
    ['a UUID', encodePacket(0x01, Buffer.alloc(16))],
    ['empty audio', encodePacket(SLIN)],
  ])('is dropped if the gateway sends %s', async (_, bytes) => {
    const { call } = await callTo((socket) => socket.write(bytes));
    await call.ring();
    expect((await call.ended).by).toBe('carrier');
    expect(call.faults.map(({ code }) => code)).toEqual(['audiosocket']);
  });

  it('reports packets that are not 20 ms, and audio faster than real time', async () => {
    const talk = (socket: Socket) => {
      socket.write(encodePacket(SLIN, frame.subarray(0, 300)));
      for (let i = 0; i < 30; i++) socket.write(encodePacket(SLIN, frame));
    };
    const { call } = await callTo(talk, { clock: new VirtualClock() });
    await call.ring();
    await expect.poll(() => call.leg.waitingMs).toBeGreaterThan(600);
    const codes = new Set(call.faults.map(({ code }) => code));
    expect([...codes]).toEqual(['partial-frame', 'lead']);
  });

  it('treats a closed connection as a hang-up, and reports an incomplete packet', async () => {
    const { call } = await callTo((socket) =>
      socket.end(encodePacket(SLIN, frame).subarray(0, 100)),
    );
    await call.ring();
    expect(await call.ended).toEqual({ by: 'gateway', how: 'closed the connection' });
    expect(call.faults.map(({ what }) => what)).toEqual(['the last packet is not whole']);
  });

  it('gives instructions if no server listens', async () => {
    const call = new AudioSocketCall({
      clock: systemClock,
      host: '127.0.0.1',
      port: 9,
      uuid: UUID,
    });
    await expect(call.ring()).rejects.toThrow(/AUDIOSOCKET_PORT/);
  });
});
