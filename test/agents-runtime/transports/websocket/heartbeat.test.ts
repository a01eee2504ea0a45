import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketHeartbeat } from '../../../../agents-runtime/transports/websocket/heartbeat.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

/** The part of a socket that the heartbeat uses. */
class FakeSocket extends EventEmitter {
  pings = 0;
  cutAtMs: number | undefined;
  readonly clock = new VirtualClock();
  readonly heartbeat = new SocketHeartbeat(this as unknown as WebSocket, this.clock);

  ping(): void {
    this.pings++;
  }

  terminate(): void {
    this.cutAtMs ??= this.clock.now();
  }

  /** Advances the clock by seconds and calls `client` in each of them. */
  pass(seconds: number, client: () => void = () => undefined): void {
    for (let i = 0; i < seconds; i++) {
      client();
      this.clock.advance(1_000);
    }
  }
}

it('a connection without any input is closed within 5 s', () => {
  const socket = new FakeSocket();
  socket.pass(20);
  expect(socket.cutAtMs).toBeGreaterThan(3_000);
  expect(socket.cutAtMs).toBeLessThanOrEqual(5_000);
  expect(socket.clock.pending).toBe(0);
});

it('a connection that only answers pings stays open', () => {
  const socket = new FakeSocket();
  socket.pass(60, () => socket.emit('pong'));
  expect(socket.pings).toBeGreaterThan(15);
  expect(socket.cutAtMs).toBeUndefined();
});

it('a client that sends but does not read is closed', () => {
  const socket = new FakeSocket();
  socket.pass(20, () => socket.heartbeat.active());
  expect(socket.cutAtMs).toBeGreaterThan(8_000);
  expect(socket.cutAtMs).toBeLessThanOrEqual(12_000);
});

it("a stall of the server's process does not count as silence of the client", () => {
  const socket = new FakeSocket();
  socket.clock.advance(6_000, 0);
  socket.pass(1);
  expect(socket.cutAtMs).toBeUndefined();
  socket.pass(4);
  expect(socket.cutAtMs).toBeDefined();
});
