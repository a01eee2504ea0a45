import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATENCY_PARTS, turnLatency } from '../../../agents-runtime/session/turn-latency.js';
import { harness, sleep } from '../../support/harness/call/call-harness.js';
import '../../support/harness/process/property-seed.js';

const marks = { speechEndAt: 1000.4, dueAt: 1550.4, committedAt: 1600.2 };

describe('turn latency', () => {
  it('lists the time that each step added, in the order of the steps', () => {
    const reply = { retrievedAt: 1640, firstTokenAt: 1700, firstChunkAt: 1730, firstAudioAt: 1800 };
    expect(turnLatency(3, marks, reply, 1890.6)).toEqual({
      turn: 3,
      endpointing: 550,
      stt: 50,
      knowledge: 40,
      llm: 60,
      chunk: 30,
      tts: 70,
      playout: 90,
      total: 890,
    });
  });

  it('is zero for steps completed before the commit', () => {
    const reply = { firstTokenAt: 1300, firstChunkAt: 1310, firstAudioAt: 1400 };
    const latency = turnLatency(1, marks, reply, 1620.4);
    expect(latency).toMatchObject({ endpointing: 550, stt: 50, llm: 0, chunk: 0, tts: 0 });
    expect(latency.playout).toBe(20);
  });

  it('adds up exactly for any times of the steps', () => {
    const time = fc.double({ min: -1e5, max: 1e7, noNaN: true });
    const maybe = fc.option(time, { nil: undefined });
    const ended = fc.record({ speechEndAt: time, dueAt: time, committedAt: time });
    const made = fc.record({
      retrievedAt: maybe,
      firstTokenAt: maybe,
      firstChunkAt: maybe,
      firstAudioAt: maybe,
    });
    fc.assert(
      fc.property(ended, made, time, (turn, reply, audibleAt) => {
        const latency = turnLatency(1, turn, reply, audibleAt);
        const parts = LATENCY_PARTS.map((part) => latency[part]);
        expect(parts.every((ms) => Number.isInteger(ms) && ms >= 0)).toBe(true);
        expect(parts.reduce((sum, ms) => sum + ms, 0)).toBe(latency.total);
      }),
    );
  });

  it("is equal in the client's message and in the stored turn", async () => {
    const call = harness({
      reply: async function* ({ onRetrieved }) {
        await sleep(call.clock, 700);
        onRetrieved?.();
        await sleep(call.clock, 100);
        yield 'Twelve roses';
        await sleep(call.clock, 50);
        yield ' cost thirty dollars.';
      },
    });
    call.call.connected();
    await call.silence(500);
    await call.say('How much are twelve roses?', 1_500);
    await call.silence(5_000);
    const latencyMessages = call.transport.events.flatMap((event) => {
      return event.type === 'latency' ? [event] : [];
    });
    expect(latencyMessages).toHaveLength(1);
    const { type: _, ...latency } = latencyMessages[0]!;
    expect([...call.turns.values()].find(({ role }) => role === 'agent')?.latency).toEqual(latency);
    expect(latency).toMatchObject({ turn: 1, llm: 100, chunk: 50 });
    expect(latency.knowledge).toBeGreaterThan(0);
    const sum = LATENCY_PARTS.reduce((all, part) => all + latency[part], 0);
    expect(sum).toBe(latency.total);
  });
});
