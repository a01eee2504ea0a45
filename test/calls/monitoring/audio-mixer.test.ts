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
/** Duration of the scripted reply: 100 ms per word. */
const REPLY_MS = 1_800;

/** Encoders that pass samples through, so that a test can identify them. */
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

function recordMix() {
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
    /** Duration of the audio so far in milliseconds. */
    ms: () => blocks.reduce((sum, { length }) => sum + length, 0) / (RATE / 1000),
    /** Duration of the audio above a level in milliseconds. */
    msAbove: (level: number) =>
      blocks.reduce((sum, block) => sum + block.filter((sample) => sample > level).length, 0) /
      (RATE / 1000),
    /** Duration of the audio near a level in milliseconds. */
    msAt: (level: number) => {
      let count = 0;
      for (const block of blocks) {
        for (const sample of block) if (Math.abs(sample - level) < 0.02) count++;
      }
      return count / (RATE / 1000);
    },
  };
}

/** Sends the caller's audio at a level of 0.25 for `ms`, in packets, by the clock. */
async function speak(mixer: AudioMixer, clock: VirtualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    mixer.caller(new Int16Array(320).fill(8_192));
    await clock.run(20);
  }
}

const agent = (ms: number) => new Int16Array((RATE * ms) / 1000).fill(16_384);

it('the mix contains the sum of both legs in real time', async () => {
  const clock = new VirtualClock();
  const mixer = new AudioMixer(RATE, clock);
  const { encoders } = plainEncoders();
  const mix = recordMix();
  mixer.listen(encoders, mix.listener);
  await speak(mixer, clock, 1_000);
  mixer.agent(agent(400));
  await speak(mixer, clock, 1_000);
  await clock.run(1_000);
  expect(mix.ms()).toBeCloseTo(3_000, 0);
  expect(mix.msAt(0.75)).toBeGreaterThan(390); // both legs
  expect(mix.msAt(0.75)).toBeLessThanOrEqual(400);
  // No caller audio is missing except at the edges of the filter.
  expect(mix.msAt(0.25) + mix.msAt(0.75)).toBeGreaterThan(1_980);
  expect(mix.msAt(0)).toBeGreaterThan(800);
});

it('the mix follows the client: pause, resume and clear', async () => {
  const clock = new VirtualClock();
  const mixer = new AudioMixer(RATE, clock);
  const feed = new LiveEventBus().begin('an account', { call_id: 'a call' } as RunningCall);
  const call = harness({
    clock,
    sampleAt: () => 0.5,
    reply: async function* () {
      yield REPLY;
    },
    begin: (parts) => new Call({ ...parts, observers: [watchCall(feed, mixer)] }),
  });
  const mix = recordMix();
  mixer.listen(plainEncoders().encoders, mix.listener);
  const clientMs = () => call.transport.played.length / (RATE / 1000);
  call.call.connected();
  await call.say('hello', 800);
  while (clientMs() < 500) await call.silence(20);
  await call.cough(300);
  await call.silence(300);
  expect(call.control()).toEqual(['pause']);
  const before = mix.msAbove(0.3);
  expect(before).toBeGreaterThan(300);
  expect(Math.abs(before - clientMs())).toBeLessThanOrEqual(40);
  await call.silence(4_000);
  expect(call.control()).toEqual(['pause', 'resume']);
  expect(clientMs()).toBe(REPLY_MS);
  expect(Math.abs(mix.msAbove(0.3) - REPLY_MS)).toBeLessThanOrEqual(40);
  await call.say('hello', 800);
  while (clientMs() < 2_200) await call.silence(20);
  await call.say('stop now please', 900);
  await call.silence(200);
  const cutMs = clientMs();
  expect(cutMs).toBeLessThan(2 * REPLY_MS);
  expect(Math.abs(mix.msAbove(0.3) - cutMs)).toBeLessThanOrEqual(80);
  await call.silence(4_000); // the next answer is played
  expect(call.control()).toContain('clear');
  expect(clientMs()).toBe(cutMs + REPLY_MS);
  expect(Math.abs(mix.msAbove(0.3) - clientMs())).toBeLessThanOrEqual(80);
});

it('no mix is made without listeners, and one mix serves all of them', async () => {
  const clock = new VirtualClock();
  const mixer = new AudioMixer(RATE, clock);
  const { encoders, state } = plainEncoders();
  mixer.agent(agent(400));
  await speak(mixer, clock, 200);
  expect([state.opened, clock.pending]).toEqual([0, 0]);
  const [one, two] = [recordMix(), recordMix()];
  const stops = [mixer.listen(encoders, one.listener), mixer.listen(encoders, two.listener)];
  await speak(mixer, clock, 400);
  expect(state.opened).toBe(1);
  for (const stop of stops) {
    expect(state.open).toBe(1);
    stop();
  }
  expect([state.open, clock.pending]).toEqual([0, 0]);
  expect(one.ms()).toBe(two.ms());
});

it('the mix ends with the call and with its encoder', async () => {
  const clock = new VirtualClock();
  const [ended, broken] = [recordMix(), recordMix()];
  const mixer = new AudioMixer(RATE, clock);
  mixer.listen(plainEncoders().encoders, ended.listener);
  await clock.run(300);
  mixer.close();
  await clock.run(10);
  expect(ended.state.isOver).toBe(true);
  expect(clock.pending).toBe(0);
  const late = recordMix();
  mixer.listen(plainEncoders().encoders, late.listener);
  expect(late.state.isOver).toBe(true);
  new AudioMixer(RATE, clock).listen(plainEncoders({ dies: true }).encoders, broken.listener);
  await clock.run(300);
  expect(broken.state.isOver).toBe(true);
});

it('the buffer of the mix is limited', async () => {
  const clock = new VirtualClock();
  const mixer = new AudioMixer(RATE, clock);
  const mix = recordMix();
  mixer.listen(plainEncoders().encoders, mix.listener);
  for (let i = 0; i < 100; i++) mixer.agent(agent(400));
  await clock.run(10_000);
  expect(mix.msAt(0.5)).toBeLessThanOrEqual(2_100);
});
