import { describe, expect, it } from 'vitest';
import { harness } from '../../support/harness/call/call-harness.js';

describe('a turn', () => {
  it('is answered, shown and remembered', async () => {
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

  it('starts to be answered at the shortest delay when the reply was made ahead', async () => {
    const call = harness();
    call.call.connected();
    await call.silence(200);
    await call.say('what time is it', 1000);
    await call.silence(3000);
    const latency = call.transport.events.find((event) => event.type === 'latency');
    expect(latency).toMatchObject({ turn: 1, stt: 0, llm: 0, tts: 0 });
    // 550 ms from the last sample of speech, give or take a VAD window and a packet.
    expect((latency as { total: number }).total).toBeGreaterThanOrEqual(530);
    expect((latency as { total: number }).total).toBeLessThanOrEqual(650);
    const { turn: _, type: __, total, ...parts } = latency as unknown as Record<string, number>;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total!, 6);
  });

  it('gives the model the conversation so far', async () => {
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

describe('the record', () => {
  it('has the beginning before the end, however soon the call is over', async () => {
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

  it('pauses and then cuts, and remembers only what was heard', async () => {
    const call = harness(story);
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(1100);
    const heardBefore = call.transport.played.length / 2400;
    await call.say('stop now', 500);
    await call.silence(1500);
    const [first] = call.texts('agent');
    const words = first!.split(' ').length;
    expect(Math.abs(words - heardBefore)).toBeLessThanOrEqual(3);
    expect(call.transport.control.map((line) => line.split(' ')[1])).toEqual(['pause', 'clear']);
    const cut = [...call.turns.values()].find((turn) => turn.role === 'agent');
    expect(cut?.cut).toBe(true);
    // What the client really played, in words of 100 ms, within one word.
    const playedAtCut = call.requests.at(-1)?.history.find((item) => item.role === 'agent');
    expect(playedAtCut?.text).toBe(first);
  });

  it('resumes after a cough from the exact sample: nothing lost, nothing repeated', async () => {
    const call = harness(story);
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(1100);
    await call.cough(150);
    await call.silence(3500);
    expect(call.transport.control.map((line) => line.split(' ')[1])).toEqual(['pause', 'resume']);
    const heard = call.transport.played.map((sample) => Math.round(sample * 1e7));
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, i) => heard[0]! + i));
    expect(heard.length).toBe(14 * 2400);
    expect(call.texts('agent')).toEqual([
      'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.',
    ]);
  });
});

describe('a model that misbehaves', () => {
  it('is apologised for when it fails before its first word', async () => {
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
    // It was asked twice.
    expect(call.faults).toHaveLength(2);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('is apologised for when it says nothing for too long', async () => {
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

  it('leaves the caller listening after an empty reply', async () => {
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

  it('is cut when it never ends', async () => {
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

describe('the wire', () => {
  it('may break and come back: the agent holds its tongue and nothing is lost', async () => {
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

  it('ends the call when it stays away', async () => {
    const call = harness();
    call.call.connected();
    call.call.lost();
    await call.clock.run(11_000);
    expect(call.ended()).toBe('error_transport');
  });

  it('leaves no timer behind at whatever moment the call ends', async () => {
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
