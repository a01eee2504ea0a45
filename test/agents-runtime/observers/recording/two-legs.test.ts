import { describe, expect, it } from 'vitest';
import { toFloat32 } from '../../../../media/audio/pcm.js';
import type { Leg } from '../../../../media/recording/spool-record.js';
import { toneOnsets } from '../../../support/harness/audio/tone-onsets.js';
import { MemorySink } from '../../../support/harness/call/recorded-call-harness.js';
import { runToneCall } from '../../../support/harness/call/tone-call.js';

const HALF_HOUR_MS = 1_800_000;
const TOLERANCE_MS = 20;

/** Start times of the tones in a leg; gaps between chunks are silence. */
function onsetsIn(sink: MemorySink, leg: Leg, rate: number): number[] {
  const onsets: number[] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const { at, samples } of sink.of(leg)) {
    const startMs = (at * 1000) / rate;
    const floats = new Float32Array(samples.length);
    if (samples instanceof Int16Array) toFloat32(samples, floats);
    else floats.set(samples);
    for (const onset of toneOnsets(floats, rate, startMs)) {
      // A tone that continues over the edge of a chunk does not start there.
      if (onset - endMs > 50) onsets.push(onset);
    }
    const loud = floats.findLastIndex((value) => Math.abs(value) > 0.1);
    if (loud >= 0) endMs = startMs + (loud * 1000) / rate;
  }
  return onsets;
}

function worst(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  return Math.max(...expected.map((ms, i) => Math.abs(found[i]! - ms)));
}

describe('30 minutes of tones', () => {
  it.each([
    { drift: 100, jitterMs: 30 },
    { drift: -100, jitterMs: 30 },
  ])(
    'are recorded at their times with a drift of $drift ppm and $jitterMs ms of jitter',
    (network) => {
      const sink = new MemorySink();
      const times = runToneCall({ sink, durationMs: HALF_HOUR_MS, everyMs: 10_000, ...network });
      expect(sink.durationMs).toBe(HALF_HOUR_MS);
      expect(worst(onsetsIn(sink, 'caller', 16_000), times.caller)).toBeLessThanOrEqual(
        TOLERANCE_MS,
      );
      expect(worst(onsetsIn(sink, 'agent', 24_000), times.agent)).toBeLessThanOrEqual(TOLERANCE_MS);
    },
  );
});
