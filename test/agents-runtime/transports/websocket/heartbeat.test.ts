import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketHeartbeat } from '../../../../agents-runtime/transports/websocket/heartbeat.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

/** The part of a socket that the heartbeat uses. */
class Wire extends EventEmitter {
  pings = 0;
  cutAtMs: number | undefined;
  readonly clock = new VirtualClock();
  readonly liveness = new SocketHeartbeat(this as unknown as WebSocket, this.clock);

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
  const wire = new Wire();
  wire.pass(20);
  expect(wire.cutAtMs).toBeGreaterThan(3_000);
  expect(wire.cutAtMs).toBeLessThanOrEqual(5_000);
  expect(wire.clock.pending).toBe(0);
});

it('a connection that only answers pings stays open', () => {
  const wire = new Wire();
  wire.pass(60, () => wire.emit('pong'));
  expect(wire.pings).toBeGreaterThan(15);
  expect(wire.cutAtMs).toBeUndefined();
});

it('a client that sends but does not read is closed', () => {
  const wire = new Wire();
  wire.pass(20, () => wire.liveness.active());
  expect(wire.cutAtMs).toBeGreaterThan(8_000);
  expect(wire.cutAtMs).toBeLessThanOrEqual(12_000);
});

it("a stall of the server's process does not count as silence of the client", () => {
  const wire = new Wire();
  wire.clock.advance(6_000, 0);
  wire.pass(1);
  expect(wire.cutAtMs).toBeUndefined();
  wire.pass(4);
  expect(wire.cutAtMs).toBeDefined();
});
