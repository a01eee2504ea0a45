import { describe, expect, it } from 'vitest';
import { SimulatedLeg, type SimulatedLegOptions } from '../../../tools/simulator/simulated-leg.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const FRAME = 160;
const loud = (frames: number, level = 5000) => new Int16Array(frames * FRAME).fill(level);

function setUp(options: Partial<SimulatedLegOptions> = {}) {
  const clock = new VirtualClock();
  const sent: Int16Array[] = [];
  const marks: string[] = [];
  const leg = new SimulatedLeg({
    clock,
    sampleRate: 8000,
    send: (frame) => sent.push(frame.slice()),
    onMark: (name) => marks.push(`${name} at ${leg.atMs}`),
    ...options,
  });
  leg.start();
  return { clock, leg, sent, marks };
}

describe('simulated carrier leg', () => {
  it('sends a frame of speech or silence every 20 ms', () => {
    const { clock, leg, sent } = setUp();
    clock.advance(100);
    leg.say(loud(2));
    clock.advance(100);
    expect(sent.map((frame) => frame[0])).toEqual([0, 0, 0, 0, 0, 5000, 5000, 0, 0, 0]);
    expect(leg.callerLoudMs).toBe(140);
  });

  it('records both legs on one timeline', () => {
    const { clock, leg } = setUp();
    leg.say(loud(5));
    clock.advance(200);
    leg.play(loud(3, 7000));
    clock.advance(200);
    const { caller, agent } = leg.audio;
    expect([caller.indexOf(5000), caller.lastIndexOf(5000)]).toEqual([0, 5 * FRAME - 1]);
    // It arrived during frame 10, in silence: it is played from the next frame on.
    expect([agent.indexOf(7000), agent.lastIndexOf(7000)]).toEqual([11 * FRAME, 14 * FRAME - 1]);
  });

  it('sends missed frames after a stall, and does not count the stall as a lead', () => {
    const { clock, leg, sent } = setUp();
    leg.play(loud(20));
    const { now } = clock;
    clock.advance(20);
    // The process stalls for 300 ms: time passes and no timer fires.
    clock.now = () => now.call(clock) + 300;
    leg.play(loud(15));
    expect(sent).toHaveLength(16);
    expect(leg.maxLeadMs).toBe(400);
  });

  it("runs by the carrier's own clock", () => {
    const { clock, sent } = setUp({ driftPpm: 1000, isRecorded: false });
    clock.advance(100_010);
    expect(sent).toHaveLength(5005);
  });

  it('reports the time by which a jitter buffer delayed audio after silence', () => {
    const { clock, leg } = setUp({ holdMs: 60 });
    clock.advance(1_003);
    leg.play(loud(2));
    clock.advance(30);
    leg.play(loud(2));
    clock.advance(500);
    leg.play(loud(1));
    leg.clear();
    leg.play(loud(1));
    clock.advance(500);
    // From the next frame on, it waits for three.
    expect(leg.holds).toEqual([
      { atMs: 1_080, heldMs: 77 },
      { atMs: 1_600, heldMs: 67 },
    ]);
  });

  it('returns marks when they are reached, and all others at a clear', () => {
    const { clock, leg, marks } = setUp();
    leg.play(loud(2));
    leg.mark('a');
    leg.play(loud(10));
    leg.mark('b');
    clock.advance(100);
    leg.clear();
    expect(marks).toEqual(['a at 60', 'b at 100']);
    expect(leg.waitingMs).toBe(0);
  });

  it("waits for the start and the end of the agent's speech", async () => {
    const { clock, leg } = setUp();
    const isSpeaking = leg.untilAgentSpeaks(0);
    const silent = leg.untilAgentIsSilent(0, 300);
    const never = leg.untilAgentSpeaks(10_000, 5_000);
    clock.advance(1_000);
    leg.play(loud(10));
    clock.advance(20);
    expect(await isSpeaking).toBe(true);
    expect(leg.agentOnsetMs).toBe(1020);
    let isSilent = false;
    void silent.then(() => {
      isSilent = true;
    });
    await clock.runSettled(400);
    expect(isSilent).toBe(false);
    await clock.runSettled(200);
    expect(isSilent).toBe(true);
    clock.advance(5_000);
    expect(await never).toBe(false);
    const cut = leg.untilAgentSpeaks(1e9);
    leg.stop();
    expect(await cut).toBe(false);
    expect(clock.pending).toBe(0);
  });
});
