import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketHeartbeat } from '../../../../agents-runtime/transports/websocket/heartbeat.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

/** What a socket's liveness uses of it. */
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

  /** Lets so many seconds pass, in each of which the client does something. */
  pass(seconds: number, client: () => void = () => undefined): void {
    for (let i = 0; i < seconds; i++) {
      client();
      this.clock.advance(1_000);
    }
  }
}

it('cuts a wire off over which nothing comes, within 5 s', () => {
  const wire = new Wire();
  wire.pass(20);
  expect(wire.cutAtMs).toBeGreaterThan(3_000);
  expect(wire.cutAtMs).toBeLessThanOrEqual(5_000);
  expect(wire.clock.pending).toBe(0);
});

it('keeps one over which only answers to pings come', () => {
  const wire = new Wire();
  wire.pass(60, () => wire.emit('pong'));
  expect(wire.pings).toBeGreaterThan(15);
  expect(wire.cutAtMs).toBeUndefined();
});

it('cuts a client off that sends and does not read', () => {
  const wire = new Wire();
  wire.pass(20, () => wire.liveness.active());
  expect(wire.cutAtMs).toBeGreaterThan(8_000);
  expect(wire.cutAtMs).toBeLessThanOrEqual(12_000);
});

it('takes time that its own process lost for nobody’s silence', () => {
  const wire = new Wire();
  wire.clock.advance(6_000, 0);
  wire.pass(1);
  expect(wire.cutAtMs).toBeUndefined();
  wire.pass(4);
  expect(wire.cutAtMs).toBeDefined();
});
