import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RoomPlayer } from '../../../../../agents-runtime/transports/livekit/bridge/room-player.js';
import '../../../../support/harness/process/property-seed.js';
import { VirtualClock } from '../../../../support/harness/audio/virtual-clock.js';

/** Hz: one sample per millisecond, whose value is its position. */
const RATE = 1_000;
const FRAME = 20;

/** A native queue that plays by the clock and records what it played. */
function setUp() {
  const clock = new VirtualClock();
  const played: number[] = [];
  const reports: number[] = [];
  const lengths: number[] = [];
  let queue: number[] = [];
  const tick = () => {
    played.push(...queue.splice(0, 10));
    clock.after(10, tick);
  };
  clock.after(10, tick);
  const player = new RoomPlayer({
    sampleRate: RATE,
    clock,
    onPlayed: (ms) => reports.push(ms),
    sink: {
      get queuedMs() {
        return queue.length;
      },
      push: (samples) => {
        lengths.push(samples.length);
        queue.push(...samples);
      },
      clear: () => {
        queue = [];
      },
    },
  });
  let sentMs = 0;
  const send = (ms: number) => {
    for (const until = sentMs + ms; sentMs < until; sentMs += FRAME) {
      player.audio(Int16Array.from({ length: FRAME }, (_, i) => sentMs + i + 1));
    }
  };
  return { clock, played, reports, lengths, player, send };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => from + i + 1);

describe('room player', () => {
  it('plays everything in order, never far ahead, and reports its position', () => {
    const { clock, played, reports, lengths, send } = setUp();
    send(400);
    clock.advance(600);
    expect(played).toEqual(range(0, 400));
    expect(reports.at(-1)).toBe(400);
    expect(reports.length).toBeLessThan(8);
    expect(lengths.every((length) => length % 10 === 0)).toBe(true);
  });

  it('pauses immediately with a fade and resumes at the exact sample', () => {
    const { clock, played, player, reports, send } = setUp();
    send(400);
    clock.advance(200);
    player.pause();
    const at = reports.at(-1)!;
    expect(at).toBe(200);
    clock.advance(1_000);
    const [whole, fade] = [played.slice(0, at), played.slice(at)];
    expect(whole).toEqual(range(0, at));
    expect(fade).toHaveLength(20);
    expect(fade.at(-1)).toBe(0);
    player.resume(at);
    clock.advance(400);
    expect(played.slice(at + 20)).toEqual(range(at, 400));
    expect(reports.at(-1)).toBe(400);
  });

  it('drops unplayed audio at a clear and counts it as played', () => {
    const { clock, played, player, reports, send } = setUp();
    send(400);
    clock.advance(100);
    player.clear();
    expect(reports.at(-1)).toBe(100);
    clock.advance(200);
    expect(played).toHaveLength(120);
    send(100);
    clock.advance(200);
    expect(played.slice(120)).toEqual(range(400, 500));
    expect(reports.at(-1)).toBe(500);
  });

  it('pauses for a lost caller and continues at the requested position', () => {
    const { clock, played, player, reports, send } = setUp();
    send(400);
    clock.advance(100);
    player.lose();
    send(100);
    clock.advance(500);
    expect(reports.at(-1)).toBe(100);
    expect(played).toHaveLength(120);
    player.seek(100);
    player.audio(Int16Array.from({ length: 20 }, () => 7));
    clock.advance(100);
    expect(played.slice(120)).toEqual(Array.from({ length: 20 }, () => 7));
    expect(reports.at(-1)).toBe(120);
  });

  it('buffers at most five seconds', () => {
    const { clock, played, send } = setUp();
    send(60_000);
    clock.advance(60_000);
    expect(played.length).toBeLessThanOrEqual(5_100);
    expect(played.length).toBeGreaterThan(4_900);
  });

  it('plays no sample twice except for fades, and never reports a step back, for any events', () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('send' as const), ms: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 300 }) }),
      fc.constant({ type: 'pause' as const }),
      fc.constant({ type: 'resume' as const }),
      fc.constant({ type: 'clear' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { clock, played, player, reports, send } = setUp();
        for (const one of steps) {
          if (one.type === 'send') send(one.ms * FRAME);
          else if (one.type === 'wait') clock.advance(one.ms);
          else if (one.type === 'pause') player.pause();
          else if (one.type === 'clear') player.clear();
          else player.resume(player.playedMs);
        }
        expect([...reports]).toEqual([...reports].sort((a, b) => a - b));
        // At each stop, at most 20 ms are repeated at a lower level.
        const stops = steps.filter(({ type }) => type === 'pause' || type === 'clear').length;
        expect(played.length).toBeLessThanOrEqual(new Set(played).size + 20 * stops + 20);
        player.close();
        clock.advance(1_000);
      }),
      { numRuns: 60 },
    );
  });
});
