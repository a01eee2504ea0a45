import { expect, it } from 'vitest';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { FramePacer } from '../../../../agents-runtime/transports/telephony/frame-pacer.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

const LENGTH = 160;

function paced(clock: Clock) {
  const sent: { readonly at: number; readonly first: number }[] = [];
  const reports: { readonly at: number; readonly positionMs: number }[] = [];
  const frames = new FramePacer({
    clock,
    ticker: new FrameTicker(clock),
    frameLength: LENGTH,
    send: (frame) => sent.push({ at: clock.now(), first: frame[0]! }),
    onPlayed: (positionMs) => reports.push({ at: clock.now(), positionMs }),
  });
  return { frames, sent, reports };
}

/** `count` frames whose samples are their numbers. */
function numbered(count: number, from = 0): Int16Array {
  return Int16Array.from({ length: count * LENGTH }, (_, i) => from + Math.floor(i / LENGTH));
}

it('frames are sent every 20 ms in order, and their playback is reported', () => {
  const clock = new VirtualClock();
  const { frames, sent, reports } = paced(clock);
  frames.push(numbered(4), 80);
  clock.advance(30);
  frames.push(numbered(4, 4), 160);
  clock.advance(1_000);
  expect(sent.map(({ at }) => at)).toEqual([20, 40, 60, 80, 100, 120, 140, 160]);
  expect(sent.map(({ first }) => first)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  // A frame is played from its arrival until 20 ms later.
  expect(reports).toEqual(
    Array.from({ length: 9 }, (_, i) => ({ at: 20 + i * 20, positionMs: i * 20 })),
  );
  expect(clock.pending).toBe(0);
});

it('after the thread was blocked for 300 ms, no burst follows and nothing is lost', () => {
  const clock = new VirtualClock();
  const late: Clock = {
    now: () => clock.now(),
    // Timers that become due while the thread is blocked fire at its end.
    after: (ms, act) => {
      const due = clock.now() + ms;
      return clock.after(due > 100 && due < 400 ? 400 - clock.now() : ms, act);
    },
  };
  const { frames, sent } = paced(late);
  frames.push(numbered(20), 400);
  clock.advance(2_000);
  expect(sent.map(({ first }) => first)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  const perMoment = new Map<number, number>();
  for (const { at } of sent) perMoment.set(at, (perMoment.get(at) ?? 0) + 1);
  expect(Math.max(...perMoment.values())).toBeLessThanOrEqual(3);
  expect(sent.at(-1)!.at).toBeGreaterThanOrEqual(400 + 14 * 20);
});

it('small delays of each tick do not accumulate', () => {
  const clock = new VirtualClock();
  let round = 0;
  const jittery: Clock = {
    now: () => clock.now(),
    after: (ms, act) => clock.after(ms + [0, 7, 3, 9][round++ % 4]!, act),
  };
  const { frames, sent } = paced(jittery);
  for (let i = 0; i < 500; i++) {
    frames.push(numbered(1, i), (i + 1) * 20);
    frames.push(numbered(1, i), (i + 1) * 20);
    clock.advance(40);
  }
  const drift = sent.map(({ at }, i) => at - sent[0]!.at - i * 20);
  expect(Math.max(...drift)).toBeLessThanOrEqual(20);
  expect(Math.min(...drift)).toBeGreaterThanOrEqual(-20);
});

it('dropped frames are never sent, and pacing restarts with the next frame', () => {
  const clock = new VirtualClock();
  const { frames, sent } = paced(clock);
  frames.push(numbered(10), 200);
  clock.advance(60);
  frames.clear();
  clock.advance(500);
  expect(sent.length).toBe(3);
  expect(clock.pending).toBe(0);
  frames.push(numbered(2, 50), 240);
  clock.advance(500);
  expect(sent.slice(3).map(({ first }) => first)).toEqual([50, 51]);
});
