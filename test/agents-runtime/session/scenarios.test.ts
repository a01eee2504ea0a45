import { describe, expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import { type HarnessOptions, harness, sleep } from '../../support/harness/call/call-harness.js';
import { STORY, storyCall, wasPlayedOnce } from '../../support/harness/call/story-call.js';

describe('speech before the answer is audible', () => {
  const slow: HarnessOptions = {
    completeness: () => 1,
    voiceMs: 1_500,
  };

  it('reopens the turn: one turn and one answer to all of it', async () => {
    const call = harness(slow);
    call.call.connected();
    await call.say('I would like', 600);
    await call.silence(700);
    expect(call.states().at(-1)).toBe('thinking');
    await call.say('a table for two', 800);
    await call.silence(6_000);
    expect(call.texts('user')).toEqual(['I would like a table for two']);
    expect(call.texts('agent')).toEqual(['You said I would like a table for two.']);
    expect(call.requests.at(-1)?.history.map(({ text }) => text)).toEqual([
      'I would like a table for two',
    ]);
    expect(call.shown()).toEqual([
      'user: I would like a table for two',
      'agent: You said I would like a table for two.',
    ]);
  });

  it('that was a cough only delays the answer', async () => {
    const call = harness(slow);
    call.call.connected();
    await call.say('what time is it', 600);
    await call.silence(700);
    await call.cough(200);
    await call.silence(6_000);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
    expect(call.states()).toEqual(['listening', 'thinking', 'speaking', 'listening']);
    expect(call.transport.played.length).toBe(6 * 2_400);
  });
});

describe('pause between two words', () => {
  it('is not evaluated further once the caller continues, which frees the turn model for other calls', async () => {
    const signals: AbortSignal[] = [];
    const call = harness({
      begin: (parts) =>
        new Call({
          ...parts,
          turnDetector: {
            completeness: (_, signal) =>
              new Promise((_resolve, reject) => {
                signals.push(signal!);
                signal!.addEventListener('abort', () => reject(signal!.reason));
              }),
          },
        }),
    });
    call.call.connected();
    await call.say('I would like', 600);
    await call.silence(300);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await call.say('a table', 400);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await call.silence(5_000);
    expect(call.texts('agent')).toEqual(['You said I would like a table.']);
    expect(call.faults).toEqual([]);
  });
});

describe('pause of the agent', () => {
  it('lasts until the recogniser has returned no words', async () => {
    const call = await storyCall({ transcriptMs: 900 });
    const from = call.clock.now();
    await call.cough(200);
    await call.silence(3_500);
    const at = call.transport.control.map((line) => Number.parseInt(line, 10) - from);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(at[1]! - at[0]!).toBeGreaterThan(900);
    expect(call.texts('agent')).toEqual([STORY]);
  });

  it('is short if noise continues without words', async () => {
    const call = await storyCall();
    await call.cough(3_000);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(wasPlayedOnce(call.transport.played)).toBe(true);
    expect(call.transport.played.length).toBe(14 * 2_400);
  });

  it('that ended in an interruption is never resumed', async () => {
    const call = await storyCall();
    await call.say('stop', 400);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'clear']);
    expect(call.states().slice(-3)).toEqual(['thinking', 'speaking', 'listening']);
  });

  it('is not resumed by the end of the call', async () => {
    const call = await storyCall();
    await call.cough(200);
    expect(call.control()).toEqual(['pause']);
    call.call.hangUp('user_hangup');
    await call.clock.run(3_000);
    expect(call.control()).toEqual(['pause', 'clear']);
    expect(call.clock.pending).toBe(0);
  });
});

describe('network delay', () => {
  it('loses no sample at a pause, however short the pause is', async () => {
    for (const networkDelayMs of [40, 150, 300]) {
      const call = await storyCall({ networkDelayMs, transcriptMs: 20 });
      await call.silence(networkDelayMs);
      await call.cough(140);
      await call.silence(6_000);
      expect(call.control()).toEqual(['pause', 'resume']);
      const { played: playedSamples } = call.transport;
      const numbers = playedSamples.map((sample) => Math.round(sample * 1e7));
      // All samples in order; at the pause some may repeat but none may be missing.
      let repeated = 0;
      numbers.forEach((number, i) => {
        if (i === 0 || number === numbers[i - 1]! + 1) return;
        expect(number).toBeLessThanOrEqual(numbers[i - 1]!);
        repeated += numbers[i - 1]! + 1 - number;
      });
      expect(new Set(numbers).size).toBe(14 * 2_400);
      // A report in transit at the pause is at most as old as the network delay.
      expect(repeated / 24).toBeLessThanOrEqual(networkDelayMs);
    }
  });

  it('keeps the text played at the client, within one word', async () => {
    const call = await storyCall({ networkDelayMs: 150 });
    await call.say('stop now', 600);
    await call.silence(5_000);
    const cleared = call.transport.control.findIndex((line) => line.includes('clear'));
    expect(cleared).toBeGreaterThan(0);
    const [first] = call.texts('agent');
    const answerWords = call.texts('agent')[1]!.split(' ').length;
    const playedWords = call.transport.played.length / 2_400 - answerWords;
    expect(Math.abs(first!.split(' ').length - playedWords)).toBeLessThanOrEqual(1);
  });
});

describe('interruption settings', () => {
  it('typed text interrupts and is answered immediately', async () => {
    const call = await storyCall();
    call.call.typed('never mind');
    await call.silence(1_500);
    expect(call.control()).toEqual(['clear']);
    expect(call.texts('agent')).toEqual([
      expect.stringMatching(/^One two/),
      'You said never mind.',
    ]);
    expect([...call.turns.values()].map(({ cut }) => cut)).toEqual([false, true, false, false]);
  });

  it('fewer words than required let the agent finish and are answered then', async () => {
    const call = await storyCall({ config: { minInterruptionWords: 3 } });
    await call.say('stop it', 400);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(call.texts('agent')).toEqual([STORY, 'You said stop it.']);
    expect(wasPlayedOnce(call.transport.played)).toBe(true);
  });

  it('the word that reaches the minimum interrupts although the pause was over', async () => {
    const call = await storyCall({ config: { minInterruptionWords: 3 }, transcriptMs: 200 });
    await call.say('stop it now please', 700);
    await call.silence(4_000);
    expect(call.control().at(-1)).toBe('clear');
    expect(call.texts('agent')[1]).toBe('You said stop it now please.');
  });

  it('without required words, any speech interrupts, and a cough is not answered', async () => {
    const call = await storyCall({ config: { minInterruptionWords: 0 } });
    await call.cough(200);
    await call.silence(4_000);
    expect(call.control()).toEqual(['clear']);
    expect(call.states().at(-1)).toBe('listening');
    expect(call.texts('agent')).toHaveLength(1);
  });

  it('with interruptions off nothing pauses, and the speech is answered afterwards', async () => {
    const call = await storyCall({ config: { allowInterruptions: false } });
    await call.say('stop now please', 500);
    await call.silence(4_000);
    expect(call.control()).toEqual([]);
    expect(call.texts('agent')).toEqual([STORY, 'You said stop now please.']);
    expect(call.shown()[2]).toBe('user: stop now please');
    expect(call.transport.played.length).toBeGreaterThan(14 * 2_400);
  });

  it('with interruptions off two remarks are one turn, in the history and on the screen', async () => {
    const call = harness({
      config: { allowInterruptions: false },
      reply: async function* ({ history }) {
        yield history.at(-1)?.text === 'tell me' ? `${STORY} ${STORY}` : 'Fine.';
      },
    });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(900);
    await call.say('stop now', 400);
    await call.silence(800);
    await call.say('please', 400);
    await call.silence(4_000);
    expect(call.texts('user')).toEqual(['tell me', 'stop now please']);
    expect(call.shown().filter((line) => line.startsWith('user'))).toEqual([
      'user: tell me',
      'user: stop now please',
    ]);
  });

  it('the greeting is protected unless configured otherwise', async () => {
    const greeting = 'Hello and welcome to our shop how can I help you today then.';
    for (const allowInterruptionsOnGreeting of [false, true]) {
      const call = harness({ config: { greeting, allowInterruptionsOnGreeting } });
      call.call.connected();
      await call.silence(300);
      await call.say('are you open', 500);
      await call.silence(4_000);
      expect(call.texts('user')).toEqual(['are you open']);
      expect(call.texts('agent')[1]).toBe('You said are you open.');
      expect(call.texts('agent')[0] === greeting).toBe(!allowInterruptionsOnGreeting);
      expect(call.control()).toEqual(allowInterruptionsOnGreeting ? ['pause', 'clear'] : []);
    }
  });

  it('a backchannel neither interrupts nor is answered while the agent speaks, but is afterwards', async () => {
    const long = `${STORY.slice(0, -1)}, and ${STORY}`;
    const call = await storyCall({
      reply: async function* ({ history }) {
        yield history.at(-1)?.text === 'tell me' ? long : `You said ${history.at(-1)?.text}.`;
      },
    });
    await call.say('mhm', 300);
    await call.silence(4_500);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(call.texts('user')).toEqual(['tell me']);
    await call.say('yes', 300);
    await call.silence(2_500);
    expect(call.texts('agent')).toEqual([long, 'You said yes.']);
  });
});

describe('caller', () => {
  it('whose microphone stops in mid-word has finished the turn', async () => {
    const call = harness();
    call.call.connected();
    await call.say('what time is it', 800);
    await call.clock.run(6_000);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
    await call.say('and now', 600);
    await call.silence(3_000);
    expect(call.texts('agent')[1]).toBe('You said and now.');
  });

  it('who hangs up before an answer has their turn recorded', async () => {
    const call = harness({ completeness: () => 0 });
    call.call.connected();
    await call.say('goodbye then', 800);
    await call.silence(400);
    call.call.hangUp('user_hangup');
    await call.clock.run(1_000);
    expect(call.texts('user')).toEqual(['goodbye then']);
    expect(call.ended()).toBe('user_hangup');
    expect(call.clock.pending).toBe(0);
  });

  it('interrupts an unfinished answer even between two of its sentences', async () => {
    const call = harness({
      reply: async function* () {
        yield 'We open at ten. We ';
        await sleep(call.clock, 5_000);
        yield 'close at six.';
      },
    });
    call.call.connected();
    await call.say('when are you open', 600);
    await call.silence(1_400);
    await call.say('thank you, that is enough', 900);
    await call.silence(1_000);
    const answer = [...call.turns.values()].find(({ role }) => role === 'agent');
    expect(answer).toMatchObject({ text: 'We open at ten.', cut: true });
  });

  it('is never answered twice and keeps the order of the conversation', async () => {
    const call = harness({
      reply: async function* ({ history }) {
        await sleep(call.clock, 300);
        yield `You said ${history.at(-1)?.text}.`;
      },
    });
    call.call.connected();
    for (const text of ['one', 'two', 'three']) {
      await call.say(text, 500);
      await call.silence(700);
    }
    await call.silence(4_000);
    const items = [...call.turns.values()].sort((a, b) => a.index - b.index);
    const starts = items.map(({ startMs }) => startMs);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(call.texts('user').join(' ')).toBe('one two three');
  });
});
