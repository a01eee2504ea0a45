import { describe, expect, it } from 'vitest';
import { AudioInput } from '../../../agents-runtime/input/audio-input.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { rethrowing } from '../../support/harness/call/rethrowing-boundary.js';

const SECOND = 16_000;
const MAX_AHEAD = 12 * SECOND;

function setUp() {
  const clock = new VirtualClock();
  const inbound = new AudioInput({
    clock,
    boundary: rethrowing,
    voiceActivity: { open: () => ({ push: () => undefined, close: () => undefined }) },
    segmenter: { threshold: 0.5, minSpeechMs: 100, minSilenceMs: 550 },
    onEdge: () => undefined,
  });
  const burst = (seconds: number) => {
    for (let i = 0; i < seconds * 50; i++) inbound.push(new Int16Array(320));
  };
  const inRealTime = (seconds: number) => {
    for (let i = 0; i < seconds * 50; i++) {
      clock.advance(20);
      inbound.push(new Int16Array(320));
    }
  };
  return { clock, inbound, burst, inRealTime };
}

describe('audio faster than real time', () => {
  it('is accepted up to 12 s ahead, at once or after speech in real time', () => {
    for (const secondsBefore of [0, 60]) {
      const { inbound, burst, inRealTime } = setUp();
      inRealTime(secondsBefore);
      burst(20);
      expect(inbound.droppedSamples / SECOND).toBeCloseTo(8, 1);
      inbound.close();
    }
  });

  it.each([2, 9, 120])('is limited in the same way after %s s without audio', (seconds) => {
    const { clock, inbound, burst, inRealTime } = setUp();
    inRealTime(1);
    clock.advance(seconds * 1_000);
    burst(seconds + 20);
    const taken = (seconds + 20) * SECOND - inbound.droppedSamples;
    expect(taken).toBeLessThanOrEqual(MAX_AHEAD);
    expect(taken).toBeGreaterThan(MAX_AHEAD - SECOND);
    inbound.close();
  });

  it('is not dropped on a connection that stalls repeatedly', () => {
    const { clock, inbound, burst } = setUp();
    for (let i = 0; i < 20; i++) {
      clock.advance(2_000);
      burst(2);
    }
    expect(inbound.droppedSamples).toBe(0);
    inbound.close();
  });
});
