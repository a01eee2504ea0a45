import { expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import { type AudioEncoders, AudioMixer } from '../../../src/calls/monitoring/audio-mixer.js';
import { watchCall } from '../../../src/calls/monitoring/call-tap.js';
import type { RunningCall } from '../../../src/calls/monitoring/live-event.js';
import { LiveEventBus } from '../../../src/calls/monitoring/live-event-bus.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { harness } from '../../support/harness/call/call-harness.js';

const RATE = 24_000;
const REPLY = 'Here is a long answer that goes on and on and on and says a great many words.';
/** The scripted voice says a word in 100 ms. */
const REPLY_MS = 1_800;

/** Passes samples through instead of encoding them, so that a test sees which they are. */
function plainEncoders({ dies = false } = {}) {
  const state = { open: 0, opened: 0 };
  const encoders = {
    open: () => {
      state.open++;
      state.opened++;
      const end = () => {
        state.open--;
      };
      return {
        push: async (samples: Float32Array) => {
          if (dies) throw new Error('the thread died');
          return new Uint8Array(samples.slice().buffer);
        },
        finish: async () => {
          end();
          return new Uint8Array(0);
        },
        cancel: end,
      };
    },
  };
  return { state, encoders: encoders as unknown as AudioEncoders };
}

function heard() {
  const blocks: Float32Array[] = [];
  const state = { isOver: false };
  return {
    state,
    listener: {
      sound: (bytes: Uint8Array) => void blocks.push(new Float32Array(bytes.slice().buffer)),
      over: () => {
        state.isOver = true;
      },
    },
    /** ms of sound so far. */
    ms: () => blocks.reduce((sum, { length }) => sum + length, 0) / (RATE / 1000),
    /** ms of sound above a level. */
    msAbove: (level: number) =>
      blocks.reduce((sum, block) => sum + block.filter((sample) => sample > level).length, 0) /
      (RATE / 1000),
    /** ms of sound whose samples are near a level. */
    msAt: (level: number) => {
      let count = 0;
      for (const block of blocks) {
        for (const sample of block) if (Math.abs(sample - level) < 0.02) count++;
      }
      return count / (RATE / 1000);
    },
  };
}

/** So many ms of the caller at 0.25, in packets, by the clock. */
async function speak(sound: AudioMixer, clock: VirtualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    sound.caller(new Int16Array(320).fill(8_192));
    await clock.run(20);
  }
}

const agent = (ms: number) => new Int16Array((RATE * ms) / 1000).fill(16_384);

it('is both legs added, as long as time goes on', async () => {
  const clock = new VirtualClock();
  const sound = new AudioMixer(RATE, clock);
  const { encoders } = plainEncoders();
  const ear = heard();
  sound.listen(encoders, ear.listener);
  await speak(sound, clock, 1_000);
  sound.agent(agent(400));
  await speak(sound, clock, 1_000);
  await clock.run(1_000);
  expect(ear.ms()).toBeCloseTo(3_000, 0);
  expect(ear.msAt(0.75)).toBeGreaterThan(390); // both
  expect(ear.msAt(0.75)).toBeLessThanOrEqual(400);
  // Nothing of the caller is lost but where the filter begins and ends.
  expect(ear.msAt(0.25) + ear.msAt(0.75)).toBeGreaterThan(1_980);
  expect(ear.msAt(0)).toBeGreaterThan(800);
});

it('follows what the client does: holds, goes on, and drops what was cut', async () => {
  const clock = new VirtualClock();
  const sound = new AudioMixer(RATE, clock);
  const feed = new LiveEventBus().begin('an account', { call_id: 'a call' } as RunningCall);
  const call = harness({
    clock,
    sampleAt: () => 0.5,
    reply: async function* () {
      yield REPLY;
    },
    begin: (parts) => new Call({ ...parts, observers: [watchCall(feed, sound)] }),
  });
  const ear = heard();
  sound.listen(plainEncoders().encoders, ear.listener);
  const clientMs = () => call.transport.played.length / (RATE / 1000);
  call.call.connected();
  await call.say('hello', 800);
  while (clientMs() < 500) await call.silence(20);
  await call.cough(300);
  await call.silence(300);
  expect(call.control()).toEqual(['pause']);
  const before = ear.msAbove(0.3);
  expect(before).toBeGreaterThan(300);
  expect(Math.abs(before - clientMs())).toBeLessThanOrEqual(40);
  await call.silence(4_000);
  expect(call.control()).toEqual(['pause', 'resume']);
  expect(clientMs()).toBe(REPLY_MS);
  expect(Math.abs(ear.msAbove(0.3) - REPLY_MS)).toBeLessThanOrEqual(40);
  await call.say('hello', 800);
  while (clientMs() < 2_200) await call.silence(20);
  await call.say('stop now please', 900);
  await call.silence(200);
  const cutMs = clientMs();
  expect(cutMs).toBeLessThan(2 * REPLY_MS);
  expect(Math.abs(ear.msAbove(0.3) - cutMs)).toBeLessThanOrEqual(80);
  await call.silence(4_000); // the next answer is heard
  expect(call.control()).toContain('clear');
  expect(clientMs()).toBe(cutMs + REPLY_MS);
  expect(Math.abs(ear.msAbove(0.3) - clientMs())).toBeLessThanOrEqual(80);
});

it('costs nothing while nobody listens, and is made once for all who do', async () => {
  const clock = new VirtualClock();
  const sound = new AudioMixer(RATE, clock);
  const { encoders, state } = plainEncoders();
  sound.agent(agent(400));
  await speak(sound, clock, 200);
  expect([state.opened, clock.pending]).toEqual([0, 0]);
  const [one, two] = [heard(), heard()];
  const stops = [sound.listen(encoders, one.listener), sound.listen(encoders, two.listener)];
  await speak(sound, clock, 400);
  expect(state.opened).toBe(1);
  for (const stop of stops) {
    expect(state.open).toBe(1);
    stop();
  }
  expect([state.open, clock.pending]).toEqual([0, 0]);
  expect(one.ms()).toBe(two.ms());
});

it('ends with the call, and with its encoder', async () => {
  const clock = new VirtualClock();
  const [ended, broken] = [heard(), heard()];
  const sound = new AudioMixer(RATE, clock);
  sound.listen(plainEncoders().encoders, ended.listener);
  await clock.run(300);
  sound.close();
  await clock.run(10);
  expect(ended.state.isOver).toBe(true);
  expect(clock.pending).toBe(0);
  const late = heard();
  sound.listen(plainEncoders().encoders, late.listener);
  expect(late.state.isOver).toBe(true);
  new AudioMixer(RATE, clock).listen(plainEncoders({ dies: true }).encoders, broken.listener);
  await clock.run(300);
  expect(broken.state.isOver).toBe(true);
});

it('keeps no more than it can soon tell', async () => {
  const clock = new VirtualClock();
  const sound = new AudioMixer(RATE, clock);
  const ear = heard();
  sound.listen(plainEncoders().encoders, ear.listener);
  for (let i = 0; i < 100; i++) sound.agent(agent(400));
  await clock.run(10_000);
  expect(ear.msAt(0.5)).toBeLessThanOrEqual(2_100);
});
