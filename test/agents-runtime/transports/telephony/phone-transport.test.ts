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
/** 100 ms a word, at the carrier's rate. */
const SPOKEN = 12 * 800;

/** The caller's side is never silent: carriers send silence, too. */
async function hear(kit: ReturnType<typeof phoneHarness>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    kit.line.handle({ type: 'audio', pcm: new Int16Array(160) });
    await kit.clock.run(20);
  }
}

describe('over a carrier that buffers', () => {
  it('whole frames go, never far ahead, all that is said and nothing between utterances', async () => {
    const kit = phoneHarness({ ...GREETED, carrier: { networkDelayMs: 40 } });
    kit.line.start(kit.call);
    await hear(kit, 4_000);
    expect(kit.carrier.chunkLengths.filter((samples) => samples % 160 !== 0)).toEqual([]);
    expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
    const heard = kit.carrier.played.length;
    expect(heard).toBeGreaterThanOrEqual(SPOKEN);
    expect(heard).toBeLessThan(SPOKEN + 160);
    const told = kit.carrier.actions.length;
    await hear(kit, 2_000);
    expect(kit.carrier.actions.length).toBe(told);
    expect(kit.texts('agent')).toEqual([SENTENCE]);
  });

  it('hardly a gap is heard, and never too much is sent, where this thread was held up for 300 ms', async () => {
    for (const atMs of [200, 410, 530, 650]) {
      const heldUp = { atMs, forMs: 300 };
      const kit = phoneHarness({ ...GREETED, carrier: { networkDelayMs: 40 }, heldUp });
      kit.line.start(kit.call);
      await hear(kit, 4_000);
      // What had been sent ahead lasts for as long, but for a block and the way.
      expect(kit.carrier.gaps, `${atMs} ms`).toBeLessThanOrEqual(5);
      expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
      expect(kit.carrier.played.length).toBeGreaterThanOrEqual(SPOKEN);
      expect(kit.texts('agent')).toEqual([SENTENCE]);
    }
    // Longer than what is sent ahead: the caller waits, and hears all of it.
    const kit = phoneHarness({ ...GREETED, heldUp: { atMs: 410, forMs: 900 } });
    kit.line.start(kit.call);
    await hear(kit, 4_000);
    expect(kit.carrier.gaps).toBeGreaterThan(10);
    expect(kit.carrier.played.length).toBeGreaterThanOrEqual(SPOKEN);
  });

  it('an interruption empties its buffer, and what was heard is remembered', async () => {
    const kit = phoneHarness({
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 0 },
      carrier: { networkDelayMs: 40 },
    });
    kit.line.start(kit.call);
    await hear(kit, 500);
    expect(kit.carrier.aheadMs).toBeGreaterThan(100);
    await kit.say('stop it now', 900);
    await kit.silence(2_000);
    expect(kit.carrier.timesOf('clear').length).toBeGreaterThan(0);
    const [greeting] = kit.texts('agent');
    expect(greeting).toMatch(/^one two three/);
    expect(greeting).not.toContain('twelve');
  });

  it('a cough holds the agent up, who then says again no more than was on the way', async () => {
    const kit = phoneHarness({
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 1 },
      carrier: { networkDelayMs: 40 },
    });
    kit.line.start(kit.call);
    await hear(kit, 500);
    await kit.cough(400);
    await kit.silence(5_000);
    expect(kit.carrier.timesOf('clear').length).toBe(1);
    expect(kit.texts('agent')).toEqual([SENTENCE]);
    const repeatedMs = (kit.carrier.played.length - SPOKEN) / 8;
    expect(repeatedMs).toBeGreaterThanOrEqual(0);
    expect(repeatedMs).toBeLessThanOrEqual(200);
  });

  it('lost marks hold nothing up', async () => {
    for (const losesMark of [1, 2, 3]) {
      const kit = phoneHarness({ ...GREETED, carrier: { networkDelayMs: 40, losesMark } });
      kit.line.start(kit.call);
      await hear(kit, 3_000);
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

describe('a carrier that', () => {
  it('hangs up ends the call, and is not hung up on', async () => {
    const kit = phoneHarness(GREETED);
    kit.line.start(kit.call);
    await hear(kit, 500);
    kit.line.handle({ type: 'close', reason: 'stop' });
    await kit.clock.run(1_000);
    expect(kit.ended()).toBe('user_hangup');
    expect(kit.carrier.timesOf('hangup')).toEqual([]);
    expect(kit.carrier.isClosed).toBe(true);
    expect(kit.clock.pending).toBe(0);
  });

  it('falls silent without a word is taken for dead, also where this thread was held up', async () => {
    const kit = phoneHarness({
      ...GREETED,
      config: { greeting: '', userSilenceTimeoutMs: 600_000 },
    });
    kit.line.start(kit.call);
    await hear(kit, 2_000);
    await kit.clock.run(15_000);
    expect(kit.ended()).toBeUndefined();
    await kit.clock.run(7_000);
    expect(kit.ended()).toBe('error_transport');
    // Its wire may be half open: a telephone that is still there is not left in silence.
    expect(kit.carrier.timesOf('hangup')).toHaveLength(1);
    expect(kit.carrier.isClosed).toBe(true);
  });

  it('speaks, but reads no more, is let go; one that is slow is not', async () => {
    const kit = phoneHarness({ config: { greeting: '', userSilenceTimeoutMs: 600_000 } });
    kit.line.start(kit.call);
    for (const backlogBytes of [70_000, 0, 70_000]) {
      expect(kit.ended()).toBeUndefined();
      kit.carrier.backlogBytes = backlogBytes;
      await hear(kit, 15_000);
    }
    expect(kit.ended()).toBeUndefined();
    await hear(kit, 7_000);
    expect(kit.ended()).toBe('error_transport');
    expect(kit.carrier.timesOf('hangup')).toHaveLength(1);
    expect(kit.carrier.isClosed).toBe(true);
  });

  it('talks nonsense is let go after a while, and at once when it says that nothing will follow', async () => {
    const patient = phoneHarness();
    patient.line.start(patient.call);
    const nonsense = { type: 'error', message: 'nonsense', isFatal: false } as const;
    for (let i = 0; i < 100; i++) patient.line.handle(nonsense);
    expect(patient.line.isOver).toBe(false);
    for (let i = 0; i < 200; i++) patient.line.handle(nonsense);
    await patient.clock.run(100);
    expect(patient.ended()).toBe('error_transport');
    expect(patient.carrier.timesOf('hangup')).toHaveLength(1);
    const prompt = phoneHarness();
    prompt.line.start(prompt.call);
    prompt.line.handle({ ...nonsense, isFatal: true });
    await prompt.clock.run(100);
    expect(prompt.ended()).toBe('error_transport');
  });

  it('ended before its call began ends it as it begins', async () => {
    const kit = phoneHarness(GREETED);
    kit.line.handle({ type: 'close', reason: 'stop' });
    kit.line.start(kit.call);
    await kit.clock.run(1_000);
    expect(kit.ended()).toBe('user_hangup');
    expect(kit.carrier.chunkLengths).toEqual([]);
  });
});

describe('over a carrier that plays what comes when it comes', () => {
  const PACED = { ...GREETED, buffers: false };

  it('a frame goes every 20 ms, and all of what is said', async () => {
    const kit = phoneHarness(PACED);
    kit.line.start(kit.call);
    await hear(kit, 3_000);
    const times = kit.carrier.timesOf('audio');
    const steps = new Set(times.slice(1).map((at, i) => at - times[i]!));
    expect([...steps]).toEqual([20]);
    expect(new Set(kit.carrier.chunkLengths)).toEqual(new Set([160]));
    expect(kit.carrier.timesOf('mark')).toEqual([]);
    expect(kit.carrier.chunkLengths.length * 160).toBeGreaterThanOrEqual(SPOKEN);
    expect(kit.carrier.chunkLengths.length * 160).toBeLessThan(SPOKEN + 320);
    expect(kit.texts('agent')).toEqual([SENTENCE]);
  });

  it('an interruption is silence at once, without a word to the carrier', async () => {
    const kit = phoneHarness({
      buffers: false,
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 0 },
    });
    kit.line.start(kit.call);
    await hear(kit, 500);
    await kit.say('stop it now', 900);
    await kit.silence(2_000);
    expect(kit.carrier.timesOf('clear')).toEqual([]);
    expect(kit.texts('agent')[0]).toMatch(/^one two three/);
    expect(kit.texts('agent')[0]).not.toContain('twelve');
  });

  it('the last word is heard before the line is hung up', async () => {
    const kit = phoneHarness(PACED);
    kit.line.start(kit.call);
    for (let i = 0; i < 200 && kit.texts('agent').length === 0; i++) await hear(kit, 20);
    kit.call.hangUp('agent_hangup');
    await kit.clock.run(1_000);
    expect(kit.carrier.chunkLengths.length * 160).toBeGreaterThanOrEqual(SPOKEN);
    const [hungUpAt] = kit.carrier.timesOf('hangup');
    expect(hungUpAt).toBeGreaterThanOrEqual(kit.carrier.timesOf('audio').at(-1)!);
    expect(kit.carrier.isClosed).toBe(true);
    expect(kit.clock.pending).toBe(0);
  });
});

describe('keys', () => {
  it('make a turn of the user after a pause, which interrupts as typed text does', async () => {
    const kit = phoneHarness(GREETED);
    kit.line.start(kit.call);
    await hear(kit, 300);
    for (const digit of '42') {
      kit.line.handle({ type: 'dtmf', digit });
      await hear(kit, 200);
    }
    expect(kit.texts('user')).toEqual([]);
    await hear(kit, 4_000);
    expect(kit.texts('user')).toEqual(['Keypad input: 42']);
    expect(kit.texts('agent').at(-1)).toBe('You said Keypad input: 42.');
  });

  it('that were pressed before the call had begun are its first turn', async () => {
    const kit = phoneHarness();
    for (const digit of '7#') kit.line.handle({ type: 'dtmf', digit });
    await kit.clock.run(100);
    kit.line.start(kit.call);
    await hear(kit, 2_000);
    expect(kit.texts('user')).toEqual(['Keypad input: 7#']);
  });

  it('come back as an echo, and are not taken for those of the caller', () => {
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
    // What this side of the telephone sends back of what it hears, 12 dB softer.
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
    line.gone('user_hangup');
    line.close();
    clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  it('go out as tones, which are no part of what the agent says', async () => {
    const kit = phoneHarness();
    kit.line.start(kit.call);
    await hear(kit, 100);
    kit.line.sendKeys('12#');
    await hear(kit, 1_000);
    expect(kit.carrier.played.length).toBe(3 * 180 * 8);
    expect(kit.texts('agent')).toEqual([]);
  });

  const MANY = '0123456789ABCD*#0123456789abcd*#';
  /** What the other side makes of it. */
  const pressed = ({ carrier }: { readonly carrier: VirtualCarrier }) => {
    let keys = '';
    const detector = new DtmfDetector(8_000, (key) => {
      keys += key;
    });
    detector.push(Int16Array.from(carrier.played));
    return keys;
  };
  /** All keys are heard, and some more. */
  const MANY_MS = MANY.length * 180 + 1_000;

  it.each([true, false])('all go out, and never far ahead (buffers: %s)', async (buffers) => {
    const kit = phoneHarness({ buffers, carrier: { networkDelayMs: 40 } });
    kit.line.start(kit.call);
    await hear(kit, 100);
    kit.line.sendKeys(MANY);
    await hear(kit, MANY_MS);
    expect(pressed(kit)).toBe(MANY.toUpperCase());
    expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
    expect(kit.carrier.chunkLengths.filter((samples) => samples % 160 !== 0)).toEqual([]);
    // Whatever is pressed meanwhile, no end of it is kept.
    for (let i = 0; i < 20; i++) kit.line.sendKeys(MANY);
    await hear(kit, 129 * 180 + 1_000);
    expect(pressed(kit).length).toBe(MANY.length + 1 + 128);
    kit.line.sendKeys(MANY);
    await hear(kit, 100);
    kit.call.hangUp('agent_hangup');
    await kit.clock.run(1_000);
    expect(kit.clock.pending).toBe(0);
  });

  it.each([true, false])('stand between two parts of a speech (buffers: %s)', async (buffers) => {
    const kit = phoneHarness({ ...GREETED, buffers, carrier: { networkDelayMs: 40 } });
    kit.line.start(kit.call);
    await hear(kit, 400);
    kit.line.sendKeys(MANY);
    await hear(kit, MANY_MS + 3_000);
    expect(pressed(kit)).toBe(MANY.toUpperCase());
    expect(kit.texts('agent')).toEqual([SENTENCE]);
    expect(kit.carrier.maxAheadMs).toBeLessThanOrEqual(440);
    const spoken = kit.carrier.played.length - MANY.length * 180 * 8;
    expect(Math.abs(spoken - SPOKEN)).toBeLessThanOrEqual(320);
  });

  it.each([true, false])('are not lost where a menu talks on (buffers: %s)', async (buffers) => {
    const kit = phoneHarness({
      buffers,
      config: { greeting: SENTENCE, allowInterruptionsOnGreeting: true, minInterruptionWords: 0 },
      carrier: { networkDelayMs: 40 },
    });
    kit.line.start(kit.call);
    await hear(kit, 400);
    kit.line.sendKeys(MANY);
    await hear(kit, 1_000);
    await kit.say('press one for help', 1_200);
    await kit.silence(MANY_MS);
    expect(pressed(kit)).toBe(MANY.toUpperCase());
    expect(kit.texts('agent')[0]).toMatch(/^one/);
  });
});
