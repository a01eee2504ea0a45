import { describe, expect, it } from 'vitest';
import { harness } from '../../support/harness/call/call-harness.js';

describe('turn', () => {
  it('is answered, displayed and stored', async () => {
    const call = harness();
    call.call.connected();
    await call.silence(200);
    await call.say('what time is it', 1000);
    await call.silence(3000);
    expect(call.texts('user')).toEqual(['what time is it']);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
    expect(call.states()).toEqual(['listening', 'thinking', 'speaking', 'listening']);
    expect(call.faults).toEqual([]);
  });

  it('is answered after the shortest delay with a speculative reply', async () => {
    const call = harness();
    call.call.connected();
    await call.silence(200);
    await call.say('what time is it', 1000);
    await call.silence(3000);
    const latency = call.transport.events.find((event) => event.type === 'latency');
    expect(latency).toMatchObject({ turn: 1, stt: 0, llm: 0, tts: 0 });
    // 550 ms after the last speech sample, plus or minus a VAD window and a packet.
    expect((latency as { total: number }).total).toBeGreaterThanOrEqual(530);
    expect((latency as { total: number }).total).toBeLessThanOrEqual(650);
    const { turn: _, type: __, total, ...parts } = latency as unknown as Record<string, number>;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total!, 6);
  });

  it('sends the conversation so far to the LLM', async () => {
    const call = harness();
    call.call.connected();
    await call.say('first', 600);
    await call.silence(2500);
    await call.say('second', 600);
    await call.silence(2500);
    expect(call.requests.at(-1)?.history.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'user: first',
      'agent: You said first.',
      'user: second',
    ]);
  });
});

describe('call record', () => {
  it('stores the start before the end, however short the call is', async () => {
    const call = harness();
    call.call.connected();
    call.call.hangUp('user_hangup');
    await call.clock.run(200);
    expect(call.record).toEqual(['started', 'ended']);
  });
});

describe('barge-in', () => {
  const story = {
    reply: async function* () {
      yield 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.';
    },
  };

  it('pauses, then clears the playout, and keeps only the played text', async () => {
    const call = harness(story);
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(1100);
    const playedBefore = call.transport.played.length / 2400;
    await call.say('stop now', 500);
    await call.silence(1500);
    const [first] = call.texts('agent');
    const words = first!.split(' ').length;
    expect(Math.abs(words - playedBefore)).toBeLessThanOrEqual(3);
    expect(call.transport.control.map((line) => line.split(' ')[1])).toEqual(['pause', 'clear']);
    const cut = [...call.turns.values()].find((turn) => turn.role === 'agent');
    expect(cut?.cut).toBe(true);
    // The text that the client played, in words of 100 ms, within one word.
    const playedAtCut = call.requests.at(-1)?.history.find((item) => item.role === 'agent');
    expect(playedAtCut?.text).toBe(first);
  });

  it('resumes at the exact sample after a cough, without loss or repetition', async () => {
    const call = harness(story);
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(1100);
    await call.cough(150);
    await call.silence(3500);
    expect(call.transport.control.map((line) => line.split(' ')[1])).toEqual(['pause', 'resume']);
    const playedNumbers = call.transport.played.map((sample) => Math.round(sample * 1e7));
    expect(playedNumbers).toEqual(
      Array.from({ length: playedNumbers.length }, (_, i) => playedNumbers[0]! + i),
    );
    expect(playedNumbers.length).toBe(14 * 2400);
    expect(call.texts('agent')).toEqual([
      'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.',
    ]);
  });
});

describe('faulty LLM', () => {
  it('leads to an apology if it fails before its first token', async () => {
    const call = harness({
      // biome-ignore lint/correctness/useYield: it fails before it yields
      reply: async function* () {
        throw new Error('dead');
      },
    });
    call.call.connected();
    await call.say('hello there', 600);
    await call.silence(6000);
    expect(call.texts('agent')[0]).toContain('Sorry');
    // The request is repeated once.
    expect(call.faults).toHaveLength(2);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('leads to an apology if it returns nothing for too long', async () => {
    const call = harness({
      reply: async function* () {
        await new Promise(() => undefined);
        yield 'never';
      },
    });
    call.call.connected();
    await call.say('hello there', 600);
    await call.silence(13_000);
    expect(call.texts('agent')[0]).toContain('Sorry');
  });

  it('returns to listening after an empty reply', async () => {
    const call = harness({
      reply: async function* () {
        yield '';
      },
    });
    call.call.connected();
    await call.say('hello there', 600);
    await call.silence(3000);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('is cut off if it never ends', async () => {
    const call = harness({
      reply: async function* () {
        for (;;) yield 'and so on and so forth. ';
      },
    });
    call.call.connected();
    await call.say('hello there', 600);
    await call.silence(120_000);
    expect(call.states().at(-1)).toBe('listening');
    expect(call.faults).toEqual([expect.stringContaining('longest length')]);
  }, 60_000);
});

describe('transport', () => {
  it('may disconnect and resume: the agent stays silent and no audio is lost', async () => {
    const call = harness({
      reply: async function* () {
        yield 'One two three four five six seven eight nine ten eleven twelve.';
      },
    });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(1000);
    call.call.lost();
    await call.clock.run(5000);
    let from = -1;
    call.call.regained(1e9, (fromMs) => {
      from = fromMs;
    });
    await call.silence(3000);
    expect(from).toBeGreaterThan(0);
    expect(call.transport.played.length).toBe(12 * 2400);
    expect(call.ended()).toBeUndefined();
  });

  it('ends the call if it stays disconnected', async () => {
    const call = harness();
    call.call.connected();
    call.call.lost();
    await call.clock.run(11_000);
    expect(call.ended()).toBe('error_transport');
  });

  it('leaves no timer behind, whenever the call ends', async () => {
    for (let at = 0; at < 4000; at += 270) {
      const call = harness({ config: { greeting: 'Hello there.' } });
      call.call.connected();
      const talking = call.say('what time is it', 1000).then(() => call.silence(3500));
      call.clock.after(at, () => call.call.hangUp('user_hangup'));
      await talking;
      await sleepReal();
      await call.clock.run(10_000);
      expect(call.ended()).toBe('user_hangup');
      expect(call.clock.pending).toBe(0);
    }
  });
});

function sleepReal(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
