import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallObserver } from '../../../agents-runtime/contract/call-observer.js';
import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type { CallInput } from '../../../agents-runtime/contract/transport.js';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import type { VoiceActivity } from '../../../media/vad/voice-activity.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { harness, sleep } from '../../support/harness/call/call-harness.js';
import { STORY, storyOptions } from '../../support/harness/call/story-call.js';
import { FaultyPorts } from './faulty-ports.js';
import '../../support/harness/process/property-seed.js';

describe('exception in a call', () => {
  it('during the sending of frames ends the call only, and other calls keep sending', async () => {
    const clock = new VirtualClock();
    const ticker = new FrameTicker(clock);
    let sent = 0;
    const faulty = harness({
      ...storyOptions,
      clock,
      begin: (parts) => {
        const { transport } = parts;
        transport.sendAudio = () => {
          if (++sent === 10) throw new Error('the transport died');
        };
        return new Call({ ...parts, ticker });
      },
    });
    const healthy = harness({
      ...storyOptions,
      clock,
      begin: (parts) => new Call({ ...parts, ticker }),
    });
    for (const { call } of [faulty, healthy]) {
      call.connected();
      call.typed('tell me');
    }
    await clock.run(4_000);
    expect(faulty.ended()).toBe('error_transport');
    expect(faulty.faults).toEqual(['call: Error: the transport died']);
    expect(healthy.transport.played.length).toBe(14 * 2_400);
    expect(healthy.texts('agent')).toEqual([STORY]);
    expect(healthy.faults).toEqual([]);
  });

  it('in an observer is reported once and affects neither the call nor other observers', async () => {
    const seen: string[] = [];
    const call = harness({
      ...storyOptions,
      begin: (parts) => {
        const faulty = {
          input: () => raise('the observer died'),
          output: () => raise('the observer died'),
          ended: () => raise('the observer died'),
        };
        const healthy: CallObserver = {
          output: ({ type }) => void seen.push(type),
          fault: (part) => void seen.push(`fault of ${part}`),
          ended: (reason) => void seen.push(reason),
        };
        return new Call({ ...parts, observers: [faulty, healthy] });
      },
    });
    call.call.connected();
    call.call.typed('tell me');
    await call.clock.run(4_000);
    call.call.hangUp('user_hangup');
    await call.clock.run(100);
    expect(call.texts('agent')).toEqual([STORY]);
    expect(call.ended()).toBe('user_hangup');
    expect(call.faults).toEqual(['observer: Error: the observer died']);
    expect(seen).toContain('audio');
    expect(seen.filter((what) => what.startsWith('fault'))).toEqual(['fault of observer']);
    expect(seen.slice(-2)).toEqual(['close', 'user_hangup']);
  });

  it('in the reducer is not reported as a fault of the turn model', async () => {
    const bug = { valueOf: () => raise('a bug in the reducer') } as unknown as number;
    const call = harness({ completeness: () => bug });
    call.call.connected();
    await call.say('what time is it', 600);
    await call.silence(2_000);
    expect(call.faults).toEqual(['call: Error: a bug in the reducer']);
    expect(call.ended()).toBe('error_transport');
    expect(call.clock.pending).toBe(0);
  });

  it('in a leg of the frame ticker removes only that leg', () => {
    const clock = new VirtualClock();
    const faults: unknown[] = [];
    const ticker = new FrameTicker(clock, undefined, (error) => faults.push(error));
    let ticks = 0;
    ticker.join(() => raise('a bug in a leg'));
    ticker.join(() => ticks++);
    clock.advance(100);
    expect(ticks).toBe(5);
    expect(faults).toHaveLength(1);
  });

  it('in a frame observer does not stop the ticker', () => {
    const clock = new VirtualClock();
    const ticker = new FrameTicker(clock, () => raise('a bug in the observer'));
    let ticks = 0;
    ticker.join(() => ticks++);
    for (let i = 0; i < 3; i++) expect(() => clock.advance(20)).toThrow('a bug in the observer');
    expect(ticks).toBe(3);
  });
});

function raise(message: string): never {
  throw new Error(message);
}

/** One VAD for all calls that invokes their callbacks one after another, like a batch. */
class SharedVoiceActivity implements VoiceActivity {
  #results: (() => void)[] = [];

  constructor(clock: Clock) {
    const deliver = () => {
      clock.after(10, deliver);
      const results = this.#results;
      this.#results = [];
      for (const result of results) result();
    };
    deliver();
  }

  open(onWindow: (probability: number) => void) {
    return {
      push: (window: Float32Array) => {
        const probability = window.some((sample) => sample > 0.01) ? 0.95 : 0.02;
        this.#results.push(() => onWindow(probability));
      },
      close: () => undefined,
    };
  }
}

/** Sends one random input to the call every 20 ms. */
function drive(call: CallInput, clock: Clock, dice: () => number): void {
  let isSpeaking = false;
  const acts: (() => void)[] = [
    () => call.typed('tell me'),
    () => call.played(dice() * 3_000),
    () => call.lost(500),
    () => call.regained(dice() * 1_000, () => undefined),
    () => void call.say('Please hold the line.'),
    () => {
      isSpeaking = !isSpeaking;
    },
  ];
  const step = () => {
    clock.after(20, step);
    call.audio(new Int16Array(320).fill(isSpeaking ? 1000 : 0));
    if (dice() < 0.1) acts[Math.floor(dice() * acts.length)]!();
  };
  call.connected();
  step();
}

/** Runs a healthy call, optionally with others on the same clock, ticker and VAD. */
async function runHealthyCall(
  startOthers: (
    shared: Pick<CallDependencies, 'ticker' | 'voiceActivity'>,
    clock: VirtualClock,
  ) => void,
) {
  const clock = new VirtualClock();
  const ticker = new FrameTicker(clock);
  // The first leg determines the ticker's phase.
  ticker.join(() => undefined);
  const shared = { ticker, voiceActivity: new SharedVoiceActivity(clock) };
  const call = harness({
    ...storyOptions,
    clock,
    begin: (parts) => new Call({ ...parts, ...shared }),
  });
  const playedAt: number[] = [];
  const { transport } = call;
  const audio = transport.sendAudio.bind(transport);
  transport.sendAudio = (samples) => {
    playedAt.push(clock.now());
    audio(samples);
  };
  startOthers(shared, clock);
  call.call.connected();
  await call.say('tell me', 600);
  await call.silence(1_200);
  await call.say('stop that', 700);
  await call.silence(2_500);
  return {
    call,
    heardAt: playedAt,
    played: transport.played,
    events: transport.events,
    faults: call.faults,
  };
}

function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

it('faults in the ports of a call change no sample of another call', async () => {
  const alone = await runHealthyCall(() => undefined);
  expect(alone.played.length).toBeGreaterThan(10 * 2_400);
  const world = fc.record({
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
    rate: fc.constantFrom(0.02, 0.1, 0.5, 1),
    calls: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(world, async ({ seed, rate, calls }) => {
      const dice = diceOf(seed);
      const startedCalls: { ended: number; readonly call: CallInput }[] = [];
      const startOthers = await runHealthyCall((shared, clock) => {
        for (let i = 0; i < calls; i++) {
          harness({
            ...storyOptions,
            clock,
            config: {
              allowAgentToEndCall: true,
              greeting: 'Hello there.',
              autoNoiseReduction: true,
            },
            tools: lookup(clock),
            begin(parts) {
              const observers = [{ output: noop, turn: noop, latency: noop, dropped: noop }];
              const ports = new FaultyPorts(dice, rate);
              const entry = { ended: 0 };
              const onEnded = () => void entry.ended++;
              const allParts = { ...parts, ...shared, observers, onEnded };
              try {
                const call = new Call(ports.around(allParts));
                startedCalls.push(Object.assign(entry, { call }));
                return call;
              } catch {
                // The owner drops a call whose construction fails.
                return new Call(parts);
              }
            },
          });
        }
        for (const { call } of startedCalls) drive(call, clock, dice);
      });
      expect(startOthers.played).toEqual(alone.played);
      expect(startOthers.heardAt).toEqual(alone.heardAt);
      expect(startOthers.events).toEqual(alone.events);
      expect(startOthers.faults).toEqual([]);
      for (const { call } of startedCalls) call.hangUp('operator_ended');
      await startOthers.call.clock.run(6_000);
      expect(startedCalls.map(({ ended }) => ended)).toEqual(startedCalls.map(() => 1));
    }),
    { numRuns: 40 },
  );
}, 120_000);

const noop = () => undefined;

function lookup(clock: Clock) {
  return {
    specs: [
      {
        name: 'look',
        description: 'look',
        parameters: { type: 'object', properties: {} },
        mode: 'async' as const,
        timeoutMs: 1_000,
      },
    ],
    async call() {
      await sleep(clock, 100);
      return { text: 'five' };
    },
  };
}
