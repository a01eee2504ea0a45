import { describe, expect, it } from 'vitest';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { PhoneTransport } from '../../../../agents-runtime/transports/telephony/phone-transport.js';
import { DtmfDetector } from '../../../../media/audio/dtmf-detector.js';
import { dtmfTones } from '../../../../media/audio/dtmf-tones.js';
import { VirtualCarrier } from '../../../support/fakes/virtual-carrier.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';
import { phoneHarness } from './phone-harness.js';

const SENTENCE = 'one two three four five six seven eight nine ten eleven twelve.';
const GREETED = { config: { greeting: SENTENCE } };
/** Samples of the answer at the carrier's rate: 100 ms per word. */
const SPOKEN = 12 * 800;

/** Sends the caller's silence, because carriers send silence, too. */
async function sendSilence(kit: ReturnType<typeof phoneHarness>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    kit.transport.handle({ type: 'audio', pcm: new Int16Array(160) });
    await kit.clock.run(20);
  }
}

describe('buffering carrier', () => {
  it('receives whole frames, never far ahead, all speech and nothing between utterances', async () => {
    const kit = phoneHarness({ ...GREETED, carrier: { networkDelayMs: 40 } });
    kit.transport.start(kit.call);
    await sendSilence(kit, 4_000);
    expect(kit.carrier.chunkLengths.filter((samples) => samples % 160 !== 0)).toEqual([]);
    expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
    const playedLength = kit.carrier.played.length;
    expect(playedLength).toBeGreaterThanOrEqual(SPOKEN);
    expect(playedLength).toBeLessThan(SPOKEN + 160);
    const actionCount = kit.carrier.actions.length;
    await sendSilence(kit, 2_000);
    expect(kit.carrier.actions.length).toBe(actionCount);
    expect(kit.texts('agent')).toEqual([SENTENCE]);
  });

  it("has few gaps and never a large backlog if the gateway's thread is blocked for 300 ms", async () => {
    for (const atMs of [200, 410, 530, 650]) {
      const stall = { atMs, forMs: 300 };
      const kit = phoneHarness({ ...GREETED, carrier: { networkDelayMs: 40 }, stall });
      kit.transport.start(kit.call);
      await sendSilence(kit, 4_000);
      // The audio sent ahead lasts this long, except for a block and the network delay.
      expect(kit.carrier.gaps, `${atMs} ms`).toBeLessThanOrEqual(5);
      expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
      expect(kit.carrier.played.length).toBeGreaterThanOrEqual(SPOKEN);
      expect(kit.texts('agent')).toEqual([SENTENCE]);
    }
    // Longer than the audio sent ahead: there is a gap, and all audio is played.
    const kit = phoneHarness({ ...GREETED, stall: { atMs: 410, forMs: 900 } });
    kit.transport.start(kit.call);
    await sendSilence(kit, 4_000);
    expect(kit.carrier.gaps).toBeGreaterThan(10);
    expect(kit.carrier.played.length).toBeGreaterThanOrEqual(SPOKEN);
  });

  it('is cleared by an interruption, and the history contains the played text', async () => {
    const kit = phoneHarness({
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 0 },
      carrier: { networkDelayMs: 40 },
    });
    kit.transport.start(kit.call);
    await sendSilence(kit, 500);
    expect(kit.carrier.aheadMs).toBeGreaterThan(100);
    await kit.say('stop it now', 900);
    await kit.silence(2_000);
    expect(kit.carrier.timesOf('clear').length).toBeGreaterThan(0);
    const [greeting] = kit.texts('agent');
    expect(greeting).toMatch(/^one two three/);
    expect(greeting).not.toContain('twelve');
  });

  it('pauses at a cough, and at most the audio in transit is repeated', async () => {
    const kit = phoneHarness({
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 1 },
      carrier: { networkDelayMs: 40 },
    });
    kit.transport.start(kit.call);
    await sendSilence(kit, 500);
    await kit.cough(400);
    await kit.silence(5_000);
    expect(kit.carrier.timesOf('clear').length).toBe(1);
    expect(kit.texts('agent')).toEqual([SENTENCE]);
    const repeatedMs = (kit.carrier.played.length - SPOKEN) / 8;
    expect(repeatedMs).toBeGreaterThanOrEqual(0);
    expect(repeatedMs).toBeLessThanOrEqual(200);
  });

  it('may lose marks without an effect on the call', async () => {
    for (const losesMark of [1, 2, 3]) {
      const kit = phoneHarness({ ...GREETED, carrier: { networkDelayMs: 40, losesMark } });
      kit.transport.start(kit.call);
      await sendSilence(kit, 3_000);
      expect(kit.texts('agent')).toEqual([SENTENCE]);
      kit.call.hangUp('agent_hangup');
      await kit.clock.run(1_000);
      expect(kit.carrier.timesOf('hangup').length).toBe(1);
      expect(kit.carrier.isClosed).toBe(true);
      expect(kit.ended()).toBe('agent_hangup');
      expect(kit.clock.pending).toBe(0);
    }
  });
});

describe('carrier', () => {
  it('that hangs up ends the call and receives no hang-up', async () => {
    const kit = phoneHarness(GREETED);
    kit.transport.start(kit.call);
    await sendSilence(kit, 500);
    kit.transport.handle({ type: 'close', reason: 'stop' });
    await kit.clock.run(1_000);
    expect(kit.ended()).toBe('user_hangup');
    expect(kit.carrier.timesOf('hangup')).toEqual([]);
    expect(kit.carrier.isClosed).toBe(true);
    expect(kit.clock.pending).toBe(0);
  });

  it("that stops sending counts as dead, also if the gateway's thread was blocked", async () => {
    const kit = phoneHarness({
      ...GREETED,
      config: { greeting: '', userSilenceTimeoutMs: 600_000 },
    });
    kit.transport.start(kit.call);
    await sendSilence(kit, 2_000);
    await kit.clock.run(15_000);
    expect(kit.ended()).toBeUndefined();
    await kit.clock.run(7_000);
    expect(kit.ended()).toBe('error_transport');
    // The connection may be half open: a phone that is still connected is hung up.
    expect(kit.carrier.timesOf('hangup')).toHaveLength(1);
    expect(kit.carrier.isClosed).toBe(true);
  });

  it('that stops reading is disconnected, and one that is only slow is not', async () => {
    const kit = phoneHarness({ config: { greeting: '', userSilenceTimeoutMs: 600_000 } });
    kit.transport.start(kit.call);
    for (const backlogBytes of [70_000, 0, 70_000]) {
      expect(kit.ended()).toBeUndefined();
      kit.carrier.backlogBytes = backlogBytes;
      await sendSilence(kit, 15_000);
    }
    expect(kit.ended()).toBeUndefined();
    await sendSilence(kit, 7_000);
    expect(kit.ended()).toBe('error_transport');
    expect(kit.carrier.timesOf('hangup')).toHaveLength(1);
    expect(kit.carrier.isClosed).toBe(true);
  });

  it('that sends invalid messages is disconnected after a limit, and immediately after a fatal error', async () => {
    const tolerant = phoneHarness();
    tolerant.transport.start(tolerant.call);
    const invalidMessage = { type: 'error', message: 'nonsense', isFatal: false } as const;
    for (let i = 0; i < 100; i++) tolerant.transport.handle(invalidMessage);
    expect(tolerant.transport.isOver).toBe(false);
    for (let i = 0; i < 200; i++) tolerant.transport.handle(invalidMessage);
    await tolerant.clock.run(100);
    expect(tolerant.ended()).toBe('error_transport');
    expect(tolerant.carrier.timesOf('hangup')).toHaveLength(1);
    const prompt = phoneHarness();
    prompt.transport.start(prompt.call);
    prompt.transport.handle({ ...invalidMessage, isFatal: true });
    await prompt.clock.run(100);
    expect(prompt.ended()).toBe('error_transport');
  });

  it('that ended before the start of the call ends it at its start', async () => {
    const kit = phoneHarness(GREETED);
    kit.transport.handle({ type: 'close', reason: 'stop' });
    kit.transport.start(kit.call);
    await kit.clock.run(1_000);
    expect(kit.ended()).toBe('user_hangup');
    expect(kit.carrier.chunkLengths).toEqual([]);
  });
});

describe('unbuffered carrier', () => {
  const PACED = { ...GREETED, buffers: false };

  it('receives one frame every 20 ms and all speech', async () => {
    const kit = phoneHarness(PACED);
    kit.transport.start(kit.call);
    await sendSilence(kit, 3_000);
    const times = kit.carrier.timesOf('audio');
    const steps = new Set(times.slice(1).map((at, i) => at - times[i]!));
    expect([...steps]).toEqual([20]);
    expect(new Set(kit.carrier.chunkLengths)).toEqual(new Set([160]));
    expect(kit.carrier.timesOf('mark')).toEqual([]);
    expect(kit.carrier.chunkLengths.length * 160).toBeGreaterThanOrEqual(SPOKEN);
    expect(kit.carrier.chunkLengths.length * 160).toBeLessThan(SPOKEN + 320);
    expect(kit.texts('agent')).toEqual([SENTENCE]);
  });

  it('receives silence immediately at an interruption, and no message', async () => {
    const kit = phoneHarness({
      buffers: false,
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 0 },
    });
    kit.transport.start(kit.call);
    await sendSilence(kit, 500);
    await kit.say('stop it now', 900);
    await kit.silence(2_000);
    expect(kit.carrier.timesOf('clear')).toEqual([]);
    expect(kit.texts('agent')[0]).toMatch(/^one two three/);
    expect(kit.texts('agent')[0]).not.toContain('twelve');
  });

  it('plays the last word before the hang-up', async () => {
    const kit = phoneHarness(PACED);
    kit.transport.start(kit.call);
    for (let i = 0; i < 200 && kit.texts('agent').length === 0; i++) await sendSilence(kit, 20);
    kit.call.hangUp('agent_hangup');
    await kit.clock.run(1_000);
    expect(kit.carrier.chunkLengths.length * 160).toBeGreaterThanOrEqual(SPOKEN);
    const [hungUpAt] = kit.carrier.timesOf('hangup');
    expect(hungUpAt).toBeGreaterThanOrEqual(kit.carrier.timesOf('audio').at(-1)!);
    expect(kit.carrier.isClosed).toBe(true);
    expect(kit.clock.pending).toBe(0);
  });
});

describe('DTMF', () => {
  it('makes a turn after a pause and interrupts like typed text', async () => {
    const kit = phoneHarness(GREETED);
    kit.transport.start(kit.call);
    await sendSilence(kit, 300);
    for (const digit of '42') {
      kit.transport.handle({ type: 'dtmf', digit });
      await sendSilence(kit, 200);
    }
    expect(kit.texts('user')).toEqual([]);
    await sendSilence(kit, 4_000);
    expect(kit.texts('user')).toEqual(['Keypad input: 42']);
    expect(kit.texts('agent').at(-1)).toBe('You said Keypad input: 42.');
  });

  it('from before the start of the call is the first turn', async () => {
    const kit = phoneHarness();
    for (const digit of '7#') kit.transport.handle({ type: 'dtmf', digit });
    await kit.clock.run(100);
    kit.transport.start(kit.call);
    await sendSilence(kit, 2_000);
    expect(kit.texts('user')).toEqual(['Keypad input: 7#']);
  });

  it("that returns as an echo is not taken for the caller's", () => {
    const clock = new VirtualClock();
    const carrier = new VirtualCarrier({ clock, networkDelayMs: 40 });
    const line = new PhoneTransport({
      clock,
      ticker: new FrameTicker(clock),
      link: carrier,
      traits: { sampleRate: 8_000, buffers: true },
    });
    const typed: string[] = [];
    const ignored = () => undefined;
    line.start({
      ...{ connected: ignored, audio: ignored, played: ignored, lost: ignored, regained: ignored },
      ...{ hangUp: ignored, say: ignored },
      typed: (text) => typed.push(text),
    });
    const send = (pcm: Int16Array) => {
      line.handle({ type: 'audio', pcm });
      clock.advance(20);
    };
    line.sendKeys('12#');
    // The echo of the played tones, 12 dB softer.
    for (let read = 0, passed = 0; passed < 4_000; passed += 20) {
      const back = carrier.played.slice(read, read + 160);
      read += back.length;
      send(Int16Array.from({ length: 160 }, (_, i) => (back[i] ?? 0) / 4));
    }
    expect(pressed({ carrier })).toBe('12#');
    expect(typed).toEqual([]);
    const tones = Int16Array.from(dtmfTones('5#', 8_000), (sample) => sample * 32_767);
    for (let at = 0; at < tones.length; at += 160) send(tones.subarray(at, at + 160));
    expect(typed).toEqual(['Keypad input: 5#']);
    line.detach('user_hangup');
    line.close();
    clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  it("is sent as tones that are not part of the agent's speech", async () => {
    const kit = phoneHarness();
    kit.transport.start(kit.call);
    await sendSilence(kit, 100);
    kit.transport.sendKeys('12#');
    await sendSilence(kit, 1_000);
    expect(kit.carrier.played.length).toBe(3 * 180 * 8);
    expect(kit.texts('agent')).toEqual([]);
  });

  const MANY = '0123456789ABCD*#0123456789abcd*#';
  /** The keys that the carrier detects. */
  const pressed = ({ carrier }: { readonly carrier: VirtualCarrier }) => {
    let keys = '';
    const detector = new DtmfDetector(8_000, (key) => {
      keys += key;
    });
    detector.push(Int16Array.from(carrier.played));
    return keys;
  };
  /** Time for all keys and some more. */
  const MANY_MS = MANY.length * 180 + 1_000;

  it.each([true, false])(
    'is sent completely and never far ahead (buffers: %s)',
    async (buffers) => {
      const kit = phoneHarness({ buffers, carrier: { networkDelayMs: 40 } });
      kit.transport.start(kit.call);
      await sendSilence(kit, 100);
      kit.transport.sendKeys(MANY);
      await sendSilence(kit, MANY_MS);
      expect(pressed(kit)).toBe(MANY.toUpperCase());
      expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
      expect(kit.carrier.chunkLengths.filter((samples) => samples % 160 !== 0)).toEqual([]);
      // The number of queued keys is limited.
      for (let i = 0; i < 20; i++) kit.transport.sendKeys(MANY);
      await sendSilence(kit, 129 * 180 + 1_000);
      expect(pressed(kit).length).toBe(MANY.length + 1 + 128);
      kit.transport.sendKeys(MANY);
      await sendSilence(kit, 100);
      kit.call.hangUp('agent_hangup');
      await kit.clock.run(1_000);
      expect(kit.clock.pending).toBe(0);
    },
  );

  it.each([true, false])('is sent between two parts of a speech (buffers: %s)', async (buffers) => {
    const kit = phoneHarness({ ...GREETED, buffers, carrier: { networkDelayMs: 40 } });
    kit.transport.start(kit.call);
    await sendSilence(kit, 400);
    kit.transport.sendKeys(MANY);
    await sendSilence(kit, MANY_MS + 3_000);
    expect(pressed(kit)).toBe(MANY.toUpperCase());
    expect(kit.texts('agent')).toEqual([SENTENCE]);
    expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
    const spoken = kit.carrier.played.length - MANY.length * 180 * 8;
    expect(Math.abs(spoken - SPOKEN)).toBeLessThanOrEqual(320);
  });

  it.each([true, false])(
    'is not lost while the other side speaks (buffers: %s)',
    async (buffers) => {
      const kit = phoneHarness({
        buffers,
        config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 0 },
        carrier: { networkDelayMs: 40 },
      });
      kit.transport.start(kit.call);
      await sendSilence(kit, 400);
      kit.transport.sendKeys(MANY);
      await sendSilence(kit, 1_000);
      await kit.say('press one for help', 1_200);
      await kit.silence(MANY_MS);
      expect(pressed(kit)).toBe(MANY.toUpperCase());
      expect(kit.texts('agent')[0]).toMatch(/^one/);
    },
  );
});
