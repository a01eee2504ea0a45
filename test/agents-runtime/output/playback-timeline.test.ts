import { describe, expect, it } from 'vitest';
import { PlaybackTimeline } from '../../../agents-runtime/output/playback-timeline.js';
import { LEAD_MS } from '../../../agents-runtime/output/playhead.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const FRAME_MS = 20;
const FRAME = 160;
const BLOCK_FRAMES = 4;

/** A timeline and its published frames; each frame's samples equal its number. */
function timelineOf() {
  const clock = new VirtualClock();
  const spans: { readonly number: number; readonly atMs: number; readonly length: number }[] = [];
  const timeline = new PlaybackTimeline({
    clock,
    frameLength: FRAME,
    onPlayed: (atMs, samples) => {
      spans.push({ number: samples[0]!, atMs, length: samples.length });
    },
  });
  let sent = 0;
  const send = (frames: number) => {
    for (let i = 0; i < frames; i++) timeline.sent(new Float32Array(FRAME).fill(sent++ / 32_768));
  };
  /** Sends like `Playout`: 400 ms at once, then blocks of 80 ms. */
  const speak = (ms: number) => {
    const startedAt = clock.now();
    send(LEAD_MS / FRAME_MS);
    while (clock.now() < startedAt + ms - LEAD_MS) {
      clock.advance(BLOCK_FRAMES * FRAME_MS);
      timeline.advance(false);
      send(BLOCK_FRAMES);
    }
  };
  return { clock, timeline, spans, speak, sentFrames: () => sent };
}

describe('client that stops reporting', () => {
  it('loses no played audio until playback is assumed to continue', () => {
    const { clock, timeline, spans, speak, sentFrames } = timelineOf();
    timeline.sent(new Float32Array(FRAME));
    timeline.reported(0, false);
    speak(12_000);
    clock.advance(6_000);
    timeline.publishRemaining();
    const total = spans.reduce((sum, { length }) => sum + length, 0);
    expect(total).toBe((1 + sentFrames()) * FRAME);
    const ends = spans.map(({ atMs, length }) => atMs + (length * FRAME_MS) / FRAME);
    for (const [i, { atMs }] of spans.slice(1).entries()) expect(atMs).toBeCloseTo(ends[i]!, 6);
    expect(spans[0]!.atMs).toBe(0);
  });

  it('is synchronised again when its reports resume', () => {
    const { clock, timeline, spans, speak } = timelineOf();
    speak(1_000);
    timeline.reported(500, false);
    clock.advance(3_000);
    timeline.reported(1_000, false);
    clock.advance(500);
    // The latest possible time for 1,000 ms of playback is 3,640 ms.
    expect(spans.at(-1)!.number).toBe(1_000 / FRAME_MS - 1);
    expect(spans.at(-1)!.atMs).toBeCloseTo(clock.now() - 500 - FRAME_MS, 6);
  });
});

it('a timeline has no timer once all audio is settled', () => {
  const { clock, timeline, speak, spans } = timelineOf();
  const playedMs = () => (spans.reduce((sum, { length }) => sum + length, 0) * FRAME_MS) / FRAME;
  speak(1_000);
  expect(clock.pending).toBe(1);
  clock.advance(2_000);
  expect(clock.pending).toBe(0);
  expect(playedMs()).toBe(1_040);
  timeline.publishRemaining();
  expect(playedMs()).toBe(1_040);
});
