import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../agents-runtime/contract/turn-events.js';
import { type CallEffect, EffectRunner } from '../../../agents-runtime/session/effect-runner.js';
import type { TurnSettings } from '../../../agents-runtime/turn/turn-state.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { handleEffects } from '../../support/harness/call/effect-handlers.js';
import { rethrowing } from '../../support/harness/call/rethrowing-boundary.js';
import '../../support/harness/process/property-seed.js';

const SETTINGS: TurnSettings = {
  minSilenceMs: 550,
  minEndpointingMs: 500,
  maxEndpointingMs: 3000,
  allowInterruptions: true,
  allowInterruptionsOnGreeting: false,
  minInterruptionWords: 1,
  language: 'en',
  userSilenceTimeoutMs: 0,
  allowAgentToEndCall: false,
  maxCallDurationMs: 900_000,
};

function setUp(settings: Partial<TurnSettings> = {}) {
  const clock = new VirtualClock();
  const log: string[] = [];
  const runner = new EffectRunner({
    settings: { ...SETTINGS, ...settings },
    clock,
    startedAt: 0,
    boundary: rethrowing,
    handlers: handleEffects((effect) => log.push(`${clock.now()}: ${inWords(effect)}`)),
  });
  const send = (event: TurnEvent) => runner.dispatch(event);
  const at = (ms: number, event: TurnEvent) => {
    clock.advance(ms - clock.now());
    send(event);
  };
  /**
   * Speech from `startMs` to `speechEndMs` with this turn probability and its final transcript at
   * `finalMs`.
   */
  const speak = (startMs: number, speechEndMs: number, text: string, probability: number) => {
    at(startMs + 100, { type: 'speech-started', startMs });
    at(speechEndMs + 200, { type: 'speech-paused', speechEndMs });
    at(speechEndMs + 250, { type: 'completeness', speechEndMs, probability });
    at(speechEndMs + 280, { type: 'transcript', text, speechEndMs });
  };
  const startReply = (startMs: number, text: string) => {
    speak(startMs, startMs + 500, text, 0.9);
    clock.advance(1000);
    const { agent } = runner.state;
    if (agent.phase !== 'thinking') throw new Error(`expected a reply, found ${agent.phase}`);
    send({ type: 'playout-started', utterance: agent.utterance.id });
    log.length = 0;
    return agent.utterance.id;
  };
  return { clock, runner, log, send, at, speak, startReply };
}

function inWords(effect: CallEffect): string {
  switch (effect.type) {
    case 'commit-turn':
      return `commit ${effect.turn} "${effect.text}"${effect.replaces ? ' instead' : ''}`;
    case 'prepare-reply':
      return `prepare "${effect.text}"`;
    case 'drop-turn':
      return `drop ${effect.turn} ${effect.why}`;
    case 'publish-state':
      return effect.state;
    default:
      return effect.type;
  }
}

describe('end of a turn', () => {
  it('commits a complete turn after the shortest delay from the last speech sample', () => {
    const { clock, log, speak } = setUp();
    speak(500, 2500, 'what time is it', 0.95);
    clock.advance(1000);
    expect(log).toEqual([
      '2700: judge-turn',
      '2700: finalise-transcript',
      '2780: prepare "what time is it"',
      '3050: thinking',
      '3050: commit 1 "what time is it"',
    ]);
  });

  it.each([
    ['of all the speech', 2510, ['prepare "what time is it"']],
    ['of a part of the speech', 2490, []],
  ])(
    'starts a speculative reply to an interim transcript %s and uses it at the commit',
    (_, upToMs, ahead) => {
      const { clock, log, at } = setUp();
      at(600, { type: 'speech-started', startMs: 500 });
      at(2600, { type: 'transcript', text: 'what time is it', speechEndMs: undefined, upToMs });
      at(2700, { type: 'speech-paused', speechEndMs: 2500 });
      at(2750, { type: 'completeness', speechEndMs: 2500, probability: 0.95 });
      expect(log.slice(2).map((line) => line.replace('2750: ', ''))).toEqual(ahead);
      clock.advance(290);
      at(3040, { type: 'transcript', text: 'what time is it', speechEndMs: 2500 });
      clock.advance(1000);
      expect(log.slice(-2)).toEqual(['3050: thinking', '3050: commit 1 "what time is it"']);
    },
  );

  it('waits for the longest delay after an incomplete turn and starts no speculative reply', () => {
    const { clock, log, speak } = setUp();
    speak(500, 2500, 'my number is', 0);
    clock.advance(4000);
    expect(log.slice(2)).toEqual([
      '2950: judge-turn',
      '5500: thinking',
      '5500: commit 1 "my number is"',
    ]);
  });

  it('keeps both halves if speech resumes before the commit', () => {
    const { clock, log, speak, at } = setUp();
    speak(0, 1000, 'well', 0.2);
    at(1400, { type: 'speech-resumed' });
    at(2200, { type: 'speech-paused', speechEndMs: 2000 });
    at(2240, { type: 'completeness', speechEndMs: 2000, probability: 1 });
    at(2300, { type: 'transcript', text: 'well hello', speechEndMs: 2000 });
    clock.advance(3000);
    expect(log.filter((line) => line.includes('commit'))).toEqual(['2550: commit 1 "well hello"']);
  });

  it('waits for a late transcript and then commits immediately', () => {
    const { clock, log, at } = setUp();
    at(100, { type: 'speech-started', startMs: 0 });
    at(1200, { type: 'speech-paused', speechEndMs: 1000 });
    at(1240, { type: 'completeness', speechEndMs: 1000, probability: 1 });
    at(2300, { type: 'transcript', text: 'hello', speechEndMs: 1000 });
    clock.advance(5000);
    expect(log.slice(2)).toEqual(['2300: thinking', '2300: commit 1 "hello"']);
  });

  it('drops a turn without words', () => {
    const { clock, log, at } = setUp();
    at(100, { type: 'speech-started', startMs: 0 });
    at(400, { type: 'transcript', text: '', speechEndMs: undefined });
    at(600, { type: 'speech-paused', speechEndMs: 400 });
    at(640, { type: 'completeness', speechEndMs: 400, probability: 1 });
    clock.advance(5000);
    expect(log.at(-1)).toBe('2450: drop 1 no-words');
  });

  it('ignores a result of the turn model for an earlier pause', () => {
    const { runner, at } = setUp();
    at(100, { type: 'speech-started', startMs: 0 });
    at(700, { type: 'speech-paused', speechEndMs: 500 });
    at(750, { type: 'speech-resumed' });
    at(1700, { type: 'speech-paused', speechEndMs: 1500 });
    at(1710, { type: 'completeness', speechEndMs: 500, probability: 1 });
    expect(runner.state.user).toMatchObject({ phase: 'paused', dueMs: 4500 });
  });
});

describe('barge-in', () => {
  it('pauses on speech, clears at the first word and answers the interruption', () => {
    const { clock, log, at, startReply } = setUp();
    startReply(0, 'tell me a story');
    at(3100, { type: 'speech-started', startMs: 3000 });
    at(3400, { type: 'transcript', text: 'stop', speechEndMs: undefined });
    at(3700, { type: 'speech-paused', speechEndMs: 3500 });
    at(3740, { type: 'completeness', speechEndMs: 3500, probability: 1 });
    at(3760, { type: 'transcript', text: 'stop please', speechEndMs: 3500 });
    clock.advance(2000);
    expect(log).toEqual([
      '3100: hold-playout',
      '3400: cut-playout',
      '3400: listening',
      '3700: judge-turn',
      '3700: finalise-transcript',
      '3760: prepare "stop please"',
      '4050: thinking',
      '4050: commit 2 "stop please"',
    ]);
  });

  it('resumes after a cough, and the same utterance does not pause again', () => {
    const { clock, log, at, startReply } = setUp();
    startReply(0, 'tell me a story');
    at(3100, { type: 'speech-started', startMs: 3000 });
    at(3400, { type: 'transcript', text: '', speechEndMs: undefined });
    at(3500, { type: 'speech-paused', speechEndMs: 3300 });
    at(3900, { type: 'speech-resumed' });
    clock.advance(3000);
    expect(log.filter((line) => /hold|resume/.test(line))).toEqual([
      '3100: hold-playout',
      '3800: resume-playout',
    ]);
  });

  it('does not resume while the caller speaks and the recogniser has not answered yet', () => {
    const { clock, log, at, startReply } = setUp();
    startReply(0, 'tell me a story');
    at(3100, { type: 'speech-started', startMs: 3000 });
    at(4000, { type: 'transcript', text: 'stop', speechEndMs: undefined });
    expect(log).toEqual(['3100: hold-playout', '4000: cut-playout', '4000: listening']);
    log.length = 0;
    // It does not wait for a recogniser that never answers.
    startReply(10_000, 'tell me a story');
    at(13_100, { type: 'speech-started', startMs: 13_000 });
    clock.advance(3000);
    expect(log).toEqual(['13100: hold-playout', '14600: resume-playout']);
  });

  it('clears on speech alone if no words are required', () => {
    const { log, at, startReply } = setUp({ minInterruptionWords: 0 });
    startReply(0, 'tell me a story');
    at(3100, { type: 'speech-started', startMs: 3000 });
    expect(log).toEqual(['3100: cut-playout', '3100: listening']);
  });

  it('requires as many words as configured', () => {
    const { log, at, startReply } = setUp({ minInterruptionWords: 3 });
    startReply(0, 'tell me a story');
    at(3100, { type: 'speech-started', startMs: 3000 });
    at(3400, { type: 'transcript', text: 'but wait', speechEndMs: undefined });
    expect(log).toEqual(['3100: hold-playout']);
    at(3700, { type: 'transcript', text: 'but wait please', speechEndMs: undefined });
    expect(log.slice(1)).toEqual(['3700: cut-playout', '3700: listening']);
  });

  it('neither clears on a backchannel nor answers it', () => {
    const { clock, log, at, send, startReply } = setUp();
    const utterance = startReply(0, 'tell me a story');
    at(3100, { type: 'speech-started', startMs: 3000 });
    at(3500, { type: 'speech-paused', speechEndMs: 3300 });
    at(3520, { type: 'completeness', speechEndMs: 3300, probability: 1 });
    at(3550, { type: 'transcript', text: 'Mhm.', speechEndMs: 3300 });
    clock.advance(3000);
    send({ type: 'playout-finished', utterance });
    expect(log).toEqual([
      '3100: hold-playout',
      '3500: judge-turn',
      '3500: finalise-transcript',
      '3550: resume-playout',
      '3850: drop-prepared',
      '3850: drop 2 backchannel',
      '6550: listening',
    ]);
  });

  it('answers speech over the greeting after the greeting has been played', () => {
    const { clock, log, send, speak } = setUp();
    send({ type: 'connected', greets: true });
    send({ type: 'playout-started', utterance: 1 });
    speak(500, 1500, 'are you open today', 0.9);
    clock.advance(1000);
    send({ type: 'playout-finished', utterance: 1 });
    expect(log.slice(2)).toEqual([
      '1700: judge-turn',
      '1700: finalise-transcript',
      '2050: queue-turn',
      '2780: listening',
      '2780: thinking',
      '2780: commit 1 "are you open today"',
    ]);
  });

  it('reopens a turn if its speaker continues before the answer is audible', () => {
    const { clock, log, at, speak } = setUp();
    speak(0, 1000, 'I would like', 0.9);
    clock.advance(500);
    log.length = 0;
    at(1900, { type: 'speech-started', startMs: 1800 });
    at(2200, { type: 'transcript', text: 'a table', speechEndMs: undefined });
    at(2700, { type: 'speech-paused', speechEndMs: 2500 });
    at(2740, { type: 'completeness', speechEndMs: 2500, probability: 1 });
    at(2760, { type: 'transcript', text: 'a table for two', speechEndMs: 2500 });
    clock.advance(1000);
    expect(log.filter((line) => /hold|cut|commit/.test(line))).toEqual([
      '1900: hold-playout',
      '2200: cut-playout',
      '3050: commit 2 "I would like a table for two" instead',
    ]);
  });

  it('lets typed text interrupt like speech', () => {
    const { log, at, startReply } = setUp();
    startReply(0, 'tell me a story');
    at(3000, { type: 'typed', text: 'never mind' });
    expect(log).toEqual([
      '3000: cut-playout',
      '3000: listening',
      '3000: thinking',
      '3000: commit 2 "never mind"',
    ]);
  });
});

describe('any script of events', () => {
  const zero = fc.integer({ min: 0, max: 5000 });
  const event: fc.Arbitrary<TurnEvent> = fc.oneof(
    zero.map((startMs) => ({ type: 'speech-started' as const, startMs })),
    zero.map((speechEndMs) => ({ type: 'speech-paused' as const, speechEndMs })),
    fc.constant({ type: 'speech-resumed' as const }),
    zero.map((speechEndMs) => ({ type: 'speech-stopped' as const, speechEndMs })),
    fc.record({
      type: fc.constant('completeness' as const),
      speechEndMs: zero,
      probability: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({
      type: fc.constant('transcript' as const),
      text: fc.constantFrom('', 'yes', 'stop', 'one two three'),
      speechEndMs: fc.option(zero, { nil: undefined }),
    }),
    fc.constant({ type: 'typed' as const, text: 'hello' }),
    fc.integer({ min: 1, max: 6 }).map((utterance) => ({
      type: 'playout-started' as const,
      utterance,
    })),
    fc.integer({ min: 1, max: 6 }).map((utterance) => ({
      type: 'playout-finished' as const,
      utterance,
    })),
  );

  it('leaves no timer and has no effect after the close', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(event, fc.integer({ min: 0, max: 900 })), { maxLength: 40 }),
        (script) => {
          const { clock, runner, log, send } = setUp();
          for (const [next, ms] of script) {
            send(next);
            clock.advance(ms);
          }
          runner.close();
          expect(clock.pending).toBe(0);
          const length = log.length;
          send({ type: 'typed', text: 'too late' });
          clock.advance(10_000);
          expect(log.length).toBe(length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('answers every turn with words once the agent is silent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(event, fc.integer({ min: 0, max: 900 })), { maxLength: 40 }),
        (script) => {
          const { clock, runner, send } = setUp();
          for (const [next, ms] of script) {
            send(next);
            clock.advance(ms);
          }
          // In any state: silence follows, and every utterance is played to its end.
          send({ type: 'speech-paused', speechEndMs: clock.now() });
          for (let i = 0; i < 4; i++) {
            clock.advance(5000);
            const { agent } = runner.state;
            if (agent.phase !== 'idle') {
              send({ type: 'playout-finished', utterance: agent.utterance.id });
            }
          }
          expect(runner.state.turn).toBeUndefined();
          expect(runner.state.queuedText).toBeUndefined();
          expect(runner.state.agent.phase).toBe('idle');
        },
      ),
      { numRuns: 500 },
    );
  });
});
