import { describe, expect, it } from 'vitest';
import { measureTimes, speechSegmentsOf } from '../../../tools/simulator/speech-segments.js';

/** An 8 kHz leg with speech between these times in milliseconds. */
function leg(...spoken: readonly (readonly [number, number])[]): Int16Array {
  const pcm = new Int16Array(8 * 10_000);
  for (const [from, to] of spoken) pcm.fill(3000, 8 * from, 8 * to);
  return pcm;
}

const times = (caller: Int16Array, agent: Int16Array) =>
  measureTimes({ caller, agent, sampleRate: 8000 });

describe('analysis of a recording', () => {
  it('treats pauses inside speech as speech', () => {
    const pcm = leg([200, 600], [900, 1400], [2000, 2200]);
    expect(speechSegmentsOf(pcm, 8000)).toEqual([
      { fromMs: 200, toMs: 1400 },
      { fromMs: 2000, toMs: 2200 },
    ]);
  });

  it('measures from the end of a text to the start of the answer', () => {
    const found = times(
      leg([2000, 3000], [7000, 8000]),
      leg([100, 1500], [3640, 5000], [8700, 9000]),
    );
    expect(found).toEqual({ firstAgentMs: 100, latencyMs: [640, 700], bargeInMs: [] });
  });

  it('counts no answer if the caller continued before it', () => {
    expect(times(leg([0, 1000], [2000, 3000]), leg([3600, 4000])).latencyMs).toEqual([600]);
  });

  it("measures from the caller's interruption to the last audio of the agent", () => {
    const found = times(leg([1000, 2500]), leg([0, 1240], [3200, 4000]));
    expect(found).toEqual({ firstAgentMs: 0, latencyMs: [700], bargeInMs: [240] });
  });

  it('finds nothing in silence', () => {
    expect(times(leg(), leg())).toEqual({ firstAgentMs: undefined, latencyMs: [], bargeInMs: [] });
  });
});
