import { expect, it } from 'vitest';
import { CallSound, type SoundEncoders } from '../../src/live/call-sound.js';
import { VirtualClock } from '../support/harness/call/virtual-clock.js';

const RATE = 24_000;

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
  return { state, encoders: encoders as unknown as SoundEncoders };
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
async function speak(sound: CallSound, clock: VirtualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    sound.caller(new Int16Array(320).fill(8_192));
    await clock.run(20);
  }
}

const agent = (ms: number) => new Float32Array((RATE * ms) / 1000).fill(0.5);

it('is both legs added, as long as time goes on', async () => {
  const clock = new VirtualClock();
  const sound = new CallSound(RATE, clock);
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
  const sound = new CallSound(RATE, clock);
  const { encoders } = plainEncoders();
  const ear = heard();
  sound.listen(encoders, ear.listener);
  sound.agent(agent(400));
  sound.agent(agent(200));
  await clock.run(300);
  sound.hold(true);
  await clock.run(1_000);
  const before = ear.msAt(0.5);
  expect(before).toBeGreaterThan(50);
  expect(before).toBeLessThan(400);
  sound.hold(false);
  await clock.run(1_000);
  expect(ear.msAt(0.5)).toBeCloseTo(600, 0);
  sound.agent(agent(400));
  sound.agent(agent(400));
  await clock.run(200);
  sound.hold(true);
  sound.clear();
  await clock.run(1_000);
  expect(ear.msAt(0.5)).toBeLessThan(850);
  sound.agent(agent(200)); // the next answer is heard
  const cut = ear.msAt(0.5);
  await clock.run(1_000);
  expect(ear.msAt(0.5) - cut).toBeCloseTo(200, 0);
});

it('costs nothing while nobody listens, and is made once for all who do', async () => {
  const clock = new VirtualClock();
  const sound = new CallSound(RATE, clock);
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
  const sound = new CallSound(RATE, clock);
  sound.listen(plainEncoders().encoders, ended.listener);
  await clock.run(300);
  sound.close();
  await clock.run(10);
  expect(ended.state.isOver).toBe(true);
  expect(clock.pending).toBe(0);
  const late = heard();
  sound.listen(plainEncoders().encoders, late.listener);
  expect(late.state.isOver).toBe(true);
  new CallSound(RATE, clock).listen(plainEncoders({ dies: true }).encoders, broken.listener);
  await clock.run(300);
  expect(broken.state.isOver).toBe(true);
});

it('keeps no more than it can soon tell', async () => {
  const clock = new VirtualClock();
  const sound = new CallSound(RATE, clock);
  const ear = heard();
  sound.listen(plainEncoders().encoders, ear.listener);
  for (let i = 0; i < 100; i++) sound.agent(agent(400));
  await clock.run(10_000);
  expect(ear.msAt(0.5)).toBeLessThanOrEqual(2_100);
});
