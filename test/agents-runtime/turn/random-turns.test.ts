import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TurnEvent } from '../../../agents-runtime/contract/turn-events.js';
import { type CallEffect, EffectRunner } from '../../../agents-runtime/session/effect-runner.js';
import type { TurnSettings } from '../../../agents-runtime/turn/turn-state.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { handleEffects } from '../../support/harness/call/effect-handlers.js';
import { rethrowing } from '../../support/harness/call/rethrowing-boundary.js';
import '../../support/harness/process/property-seed.js';

/** External events at any time, in addition to those of the agent's playout. */
const happening = fc.oneof(
  fc.constantFrom(
    'speak',
    'pause',
    'resume',
    'stop',
    'type',
    'tool',
    'tool-late',
    'end',
    'fail',
    'sound',
  ),
  fc.record({
    text: fc.constantFrom('', 'mhm', 'stop', 'one two three', 'wait a moment please'),
    isFinal: fc.boolean(),
  }),
);
const step = fc.record({ happening, ms: fc.integer({ min: 0, max: 1_500 }) });

const world = fc.record({
  script: fc.array(step, { maxLength: 40 }),
  /** Time from a commit to the first audio; `speakMs` is the duration of an utterance. */
  thinkMs: fc.integer({ min: 0, max: 3_000 }),
  speakMs: fc.integer({ min: 0, max: 4_000 }),
  isDeaf: fc.boolean(),
  voiceFails: fc.boolean(),
  settings: fc.record({
    allowInterruptions: fc.boolean(),
    allowInterruptionsOnGreeting: fc.boolean(),
    allowAgentToEndCall: fc.boolean(),
    minInterruptionWords: fc.integer({ min: 0, max: 4 }),
    userSilenceTimeoutMs: fc.constantFrom(0, 2_000, 10_000),
    maxCallDurationMs: fc.constantFrom(5_000, 40_000, 900_000),
  }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const SETTINGS: TurnSettings = {
  minSilenceMs: 550,
  minEndpointingMs: 500,
  maxEndpointingMs: 3_000,
  allowInterruptions: true,
  allowInterruptionsOnGreeting: false,
  minInterruptionWords: 1,
  language: 'en',
  userSilenceTimeoutMs: 10_000,
  allowAgentToEndCall: false,
  maxCallDurationMs: 900_000,
};

/** An effect runner whose agent thinks and speaks by the clock. */
function play({ script, thinkMs, speakMs, isDeaf, voiceFails, settings }: World) {
  const clock = new VirtualClock();
  const state = { shown: 'initializing', cutAt: 0, faults: [] as string[] };
  const ends: number[] = [];
  const answered: string[] = [];
  const dropped: number[] = [];
  let speaking: number | undefined;
  let isPaused = false;
  const runner: EffectRunner = new EffectRunner({
    settings: { ...SETTINGS, ...settings },
    clock,
    startedAt: 0,
    boundary: rethrowing,
    handlers: handleEffects((effect) => handle(effect)),
  });
  const utter = (utterance: number, ms: number) => {
    speaking = undefined;
    isPaused = false;
    const isCurrent = () => {
      const { agent } = runner.state;
      return agent.phase !== 'idle' && agent.utterance.id === utterance;
    };
    const finish = () => {
      if (!isCurrent()) return;
      if (isPaused) {
        clock.after(50, finish);
        return;
      }
      speaking = undefined;
      runner.dispatch({ type: 'playout-finished', utterance, isFaulty: voiceFails });
    };
    clock.after(thinkMs, function start() {
      if (!isCurrent()) return;
      if (isPaused) {
        clock.after(50, start);
        return;
      }
      speaking = utterance;
      runner.dispatch({ type: 'playout-started', utterance });
      clock.after(ms, finish);
    });
  };
  const handle = (effect: CallEffect) => {
    if (effect.type === 'publish-state') state.shown = effect.state;
    if (
      effect.type === 'commit-turn' ||
      effect.type === 'speak' ||
      effect.type === 'reply-to-tools'
    ) {
      utter(effect.utterance, speakMs);
    }
    if (effect.type === 'commit-turn') answered.push(effect.text);
    if (effect.type === 'drop-turn') dropped.push(effect.turn);
    if (effect.type === 'hold-playout') isPaused = true;
    if (effect.type === 'resume-playout') isPaused = false;
    if (effect.type === 'cut-playout') {
      speaking = undefined;
      state.cutAt = clock.now();
    }
    if (effect.type === 'hang-up') {
      ends.push(clock.now());
      runner.close();
    }
  };
  const send = (event: TurnEvent) => runner.dispatch(event);
  const happen = (what: World['script'][number]['happening']) => {
    const speechEndMs = clock.now();
    const { user } = runner.state;
    if (typeof what !== 'string') {
      if (isDeaf) return;
      const isFinal = what.isFinal && user.phase === 'paused';
      send({
        type: 'transcript',
        text: what.text,
        speechEndMs: isFinal ? user.speechEndMs : undefined,
      });
      return;
    }
    const events: Record<string, TurnEvent> = {
      speak: { type: 'speech-started', startMs: speechEndMs },
      pause: { type: 'speech-paused', speechEndMs },
      resume: { type: 'speech-resumed' },
      stop: { type: 'speech-stopped', speechEndMs },
      type: { type: 'typed', text: 'typed words' },
      tool: { type: 'tool-started' },
      'tool-late': { type: 'tool-ended', isLate: true },
      end: { type: 'ending', utterance: speaking ?? 0, reason: 'agent_hangup' },
      fail: { type: 'reply-failed', utterance: speaking ?? 0 },
      sound: { type: 'audio-started' },
    };
    send(events[what]!);
  };
  send({ type: 'connected', greets: script.length % 2 === 0 });
  for (const { happening: what, ms } of script) {
    happen(what);
    clock.advance(ms);
    const isSilent = state.shown === 'speaking' && speaking === undefined;
    if (isSilent && ends.length === 0) state.faults.push('speaks no sound');
  }
  return { clock, runner, state, ends, answered, dropped, send };
}

it('any sequence of events ends with the agent idle', () => {
  fc.assert(
    fc.property(world, (made) => {
      const { clock, runner, state, ends, send } = play(made);
      expect(state.faults).toEqual([]);
      // The caller becomes silent, and all speech is played.
      if (runner.state.turn) send({ type: 'speech-paused', speechEndMs: clock.now() });
      clock.advance(30_000);
      if (ends.length === 0) {
        expect(runner.state.turn).toBeUndefined();
        expect(runner.state.queuedText).toBeUndefined();
        expect(runner.state.pending).toEqual([]);
        // The agent may be speaking a text that it started on its own.
        const isFree = () => runner.state.isClosed || runner.state.agent.phase === 'idle';
        for (let i = 0; i < 200 && !isFree(); i++) clock.advance(50);
        expect(isFree()).toBe(true);
      }
      const limitMs = made.settings.maxCallDurationMs;
      if (clock.now() > limitMs + 5_000) expect(ends.length).toBeGreaterThan(0);
      for (const at of ends) expect(at).toBeLessThanOrEqual(limitMs + 5_000);
      runner.close();
      // All steps of the script end, and no timer of the effect runner remains.
      clock.advance(20_000);
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 3_000 },
  );
}, 60_000);

it("an interruption ends the agent's turn immediately, in any sequence of events", () => {
  fc.assert(
    fc.property(world, (made) => {
      const { runner, clock, state, ends, send } = play(made);
      const { agent } = runner.state;
      if (agent.phase === 'idle' || ends.length > 0) return;
      const before = state.cutAt;
      state.cutAt = -1;
      send({ type: 'speech-started', startMs: clock.now() });
      send({ type: 'transcript', text: 'stop that at once please', speechEndMs: undefined });
      if (state.cutAt === -1) {
        expect(before).toBeGreaterThanOrEqual(0);
        return;
      }
      expect(state.shown).toBe('listening');
    }),
    { numRuns: 2_000 },
  );
}, 60_000);
