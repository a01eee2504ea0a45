import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness, sleep } from '../../support/call-harness.js';

const STORY = 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.';
const story: HarnessOptions = {
  reply: async function* ({ history }) {
    yield history.at(-1)?.text === 'tell me' ? STORY : `You said ${history.at(-1)?.text}.`;
  },
};

/** A call in which the agent has told its story for about half a second. */
async function telling(options: HarnessOptions = {}) {
  const call = harness({ ...story, ...options });
  call.call.connected();
  await call.say('tell me', 600);
  while (call.states().at(-1) !== 'speaking') await call.silence(20);
  await call.silence(480);
  return call;
}

const wasHeardOnce = (samples: readonly number[]) =>
  samples.every((sample, i) => i === 0 || sample > samples[i - 1]!);

describe('speech before the answer sounds', () => {
  const slow: HarnessOptions = {
    completeness: () => 1,
    voiceMs: 1_500,
  };

  it('takes the turn up again: one turn, one answer, to all that was said', async () => {
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
  });

  it('that was a cough only lets the answer come', async () => {
    const call = harness(slow);
    call.call.connected();
    await call.say('what time is it', 600);
    await call.silence(700);
    await call.cough(200);
    await call.silence(6_000);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
    expect(call.states()).toEqual(['listening', 'thinking', 'speaking', 'listening']);
    expect(call.transport.heard.length).toBe(6 * 2_400);
  });
});

describe('a pause of the agent', () => {
  it('waits for the recogniser to say that there was nothing', async () => {
    const call = await telling({ transcriptMs: 900 });
    const from = call.clock.now();
    await call.cough(200);
    await call.silence(3_500);
    const at = call.transport.control.map((line) => Number.parseInt(line, 10) - from);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(at[1]! - at[0]!).toBeGreaterThan(900);
    expect(call.texts('agent')).toEqual([STORY]);
  });

  it('is short when noise goes on without words', async () => {
    const call = await telling();
    await call.cough(3_000);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(wasHeardOnce(call.transport.heard)).toBe(true);
    expect(call.transport.heard.length).toBe(14 * 2_400);
  });

  it('that ended in a cut is never resumed', async () => {
    const call = await telling();
    await call.say('stop', 400);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'clear']);
    expect(call.states().slice(-3)).toEqual(['thinking', 'speaking', 'listening']);
  });

  it('is not resumed by the end of the call', async () => {
    const call = await telling();
    await call.cough(200);
    expect(call.control()).toEqual(['pause']);
    call.call.hangUp('user_hangup');
    await call.clock.run(3_000);
    expect(call.control()).toEqual(['pause', 'clear']);
    expect(call.clock.pending).toBe(0);
  });
});

describe('a long wire', () => {
  it('loses no sample of a pause, however short the pause is', async () => {
    for (const wayMs of [40, 150, 300]) {
      const call = await telling({ wayMs, transcriptMs: 20 });
      await call.silence(wayMs);
      await call.cough(140);
      await call.silence(6_000);
      expect(call.control()).toEqual(['pause', 'resume']);
      const { heard } = call.transport;
      const numbers = heard.map((sample) => Math.round(sample * 1e7));
      // Every sample, in order; at the pause some may be heard again, never one left out.
      let repeated = 0;
      numbers.forEach((number, i) => {
        if (i === 0 || number === numbers[i - 1]! + 1) return;
        expect(number).toBeLessThanOrEqual(numbers[i - 1]!);
        repeated += numbers[i - 1]! + 1 - number;
      });
      expect(new Set(numbers).size).toBe(14 * 2_400);
      // A report that was on its way when the pause came is older by no more than the way.
      expect(repeated / 24).toBeLessThanOrEqual(wayMs);
    }
  });

  it('remembers what was heard at its far end, within a word', async () => {
    const call = await telling({ wayMs: 150 });
    await call.say('stop now', 600);
    await call.silence(5_000);
    const cleared = call.transport.control.findIndex((line) => line.includes('clear'));
    expect(cleared).toBeGreaterThan(0);
    const [first] = call.texts('agent');
    const answerWords = call.texts('agent')[1]!.split(' ').length;
    const heardWords = call.transport.heard.length / 2_400 - answerWords;
    expect(Math.abs(first!.split(' ').length - heardWords)).toBeLessThanOrEqual(1);
  });
});

describe('settings of interruption', () => {
  it('typed text interrupts and is answered at once', async () => {
    const call = await telling();
    call.call.typed('never mind');
    await call.silence(1_500);
    expect(call.control()).toEqual(['clear']);
    expect(call.texts('agent')).toEqual([
      expect.stringMatching(/^One two/),
      'You said never mind.',
    ]);
    expect([...call.turns.values()].map(({ cut }) => cut)).toEqual([false, true, false, false]);
  });

  it('fewer words than wanted let the agent finish, and are answered then', async () => {
    const call = await telling({ config: { minInterruptionWords: 3 } });
    await call.say('stop it', 400);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(call.texts('agent')).toEqual([STORY, 'You said stop it.']);
    expect(wasHeardOnce(call.transport.heard)).toBe(true);
  });

  it('the word that completes them cuts, although the pause was over', async () => {
    const call = await telling({ config: { minInterruptionWords: 3 }, transcriptMs: 200 });
    await call.say('stop it now please', 700);
    await call.silence(4_000);
    expect(call.control().at(-1)).toBe('clear');
    expect(call.texts('agent')[1]).toBe('You said stop it now please.');
  });

  it('with no words wanted any speech cuts, and a cough is not answered', async () => {
    const call = await telling({ config: { minInterruptionWords: 0 } });
    await call.cough(200);
    await call.silence(4_000);
    expect(call.control()).toEqual(['clear']);
    expect(call.states().at(-1)).toBe('listening');
    expect(call.texts('agent')).toHaveLength(1);
  });

  it('with interruptions off nothing pauses, and what was said is answered afterwards', async () => {
    const call = await telling({ config: { allowInterruptions: false } });
    await call.say('stop now please', 500);
    await call.silence(4_000);
    expect(call.control()).toEqual([]);
    expect(call.texts('agent')).toEqual([STORY, 'You said stop now please.']);
    expect(call.transport.heard.length).toBeGreaterThan(14 * 2_400);
  });

  it('the greeting is protected unless its setting says otherwise', async () => {
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

  it('a backchannel neither cuts nor is answered while the agent speaks, but is after it', async () => {
    const call = await telling();
    await call.say('mhm', 300);
    await call.silence(3_000);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(call.texts('user')).toEqual(['tell me']);
    await call.say('yes', 300);
    await call.silence(2_500);
    expect(call.texts('agent')).toEqual([STORY, 'You said yes.']);
  });
});

describe('a recogniser', () => {
  it('that is late is waited for', async () => {
    const call = harness({ transcriptMs: 1_500 });
    call.call.connected();
    await call.say('what time is it', 400);
    await call.silence(5_000);
    expect(call.texts('user')).toEqual(['what time is it']);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
  });

  it('that is later than anyone waits loses the turn, and its final from the past changes nothing', async () => {
    const call = harness({ transcriptMs: 4_000 });
    call.call.connected();
    await call.say('what time is it', 400);
    await call.silence(8_000);
    expect(call.states()).toEqual(['listening']);
    expect(call.texts('user')).toEqual([]);
  });

  it('whose final comes at the very moment of the commit makes one turn of it', async () => {
    for (let transcriptMs = 300; transcriptMs <= 400; transcriptMs += 5) {
      const call = harness({ transcriptMs });
      call.call.connected();
      await call.say('what time is it', 400);
      await call.silence(3_000);
      expect(call.texts('user')).toEqual(['what time is it']);
      expect(call.texts('agent')).toEqual(['You said what time is it.']);
    }
  });

  it('that dies leaves a call that still takes text', async () => {
    const call = harness({ recogniserFails: true });
    call.call.connected();
    await call.say('what time is it', 600);
    await call.silence(5_000);
    expect(call.states().at(-1)).toBe('listening');
    expect(call.faults.every((fault) => fault.startsWith('recogniser'))).toBe(true);
    expect(call.faults.length).toBeGreaterThan(0);
    call.call.typed('hello');
    await call.silence(2_000);
    expect(call.texts('agent')).toEqual(['You said hello.']);
  });
});

describe('a model or a voice that dies', () => {
  const dying = (words: readonly string[]): HarnessOptions => ({
    reply: async function* () {
      for (const word of words) yield word;
      throw new Error('dead');
    },
  });

  it.each([
    ['before the first word', [], /^Sorry, I could not/],
    ['within a sentence', ['We open ', 'at '], /^We open at\s+Sorry, my answer broke off/],
    ['after a sentence', ['We open. ', 'And '], /^We open\. And\s+Sorry, my answer broke off/],
    ['after the last word', ['We open.'], /^We open\.\s+Sorry, my answer broke off/],
  ])('%s is told to the caller', async (_, words, said) => {
    const call = harness(dying(words));
    call.call.connected();
    await call.say('when do you open', 600);
    await call.silence(6_000);
    expect(call.texts('agent')).toEqual([expect.stringMatching(said)]);
    expect(call.faults).toEqual(['reply: Error: dead']);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('as a voice leaves the caller the floor, with what was heard of it', async () => {
    for (const words of [0, 3]) {
      const call = harness({ ...story, voiceFailsAfter: () => words });
      call.call.connected();
      await call.say('tell me', 600);
      await call.silence(4_000);
      expect(call.states().at(-1)).toBe('listening');
      expect(call.transport.heard.length).toBe(words * 2_400);
      expect(call.faults).toEqual(['speech: Error: the voice died']);
      const told = call.transport.events.filter(({ type }) => type === 'error');
      expect(told).toEqual([expect.objectContaining({ code: 'SPEECH_FAILED' })]);
      const agentTurns = [...call.turns.values()].filter(({ role }) => role === 'agent');
      expect(agentTurns.map(({ text }) => text)).toEqual(words ? ['One two three'] : []);
    }
  });

  it('is no matter to the next turn', async () => {
    let isFirst = true;
    const call = harness({
      reply: async function* ({ history }) {
        if (isFirst) {
          isFirst = false;
          throw new Error('dead');
        }
        yield `You said ${history.at(-1)?.text}.`;
      },
    });
    call.call.connected();
    await call.say('first', 600);
    await call.silence(5_000);
    await call.say('second', 600);
    await call.silence(3_000);
    expect(call.texts('agent')[1]).toBe('You said second.');
  });

  it('a reply of one emoji leaves the caller the floor', async () => {
    const call = harness({
      reply: async function* () {
        yield '👍';
      },
    });
    call.call.connected();
    await call.say('thank you', 600);
    await call.silence(3_000);
    expect(call.states()).toEqual(['listening', 'thinking', 'listening']);
    expect(call.texts('agent')).toEqual([]);
    expect(call.faults).toEqual([]);
  });
});

describe('a broken wire', () => {
  it('while the agent holds lets it go on where the client stands', async () => {
    const call = await telling();
    await call.cough(180);
    expect(call.control()).toEqual(['pause']);
    await call.away(4_000);
    await call.silence(4_000);
    expect(call.transport.heard.length).toBe(14 * 2_400);
    expect(wasHeardOnce(call.transport.heard)).toBe(true);
  });

  it('that hid a cut is told of it: nothing old is heard, and the client plays on', async () => {
    const call = await telling({ transcriptMs: 500 });
    await call.say('stop', 300);
    expect(call.control()).toEqual(['pause']);
    const heardBefore = call.transport.heard.length;
    await call.away(4_000);
    expect(call.control().at(-1)).toBe('clear');
    await call.silence(4_000);
    expect(call.texts('agent')[1]).toBe('You said stop.');
    // Three words of the new answer, and of the old one not a sample more.
    expect(call.transport.heard.length - heardBefore).toBe(3 * 2_400);
  });

  it('loses nothing however long it was away, wherever in an answer', async () => {
    for (const at of [0, 20, 130, 390, 410, 900]) {
      const call = await telling();
      await call.silence(at);
      await call.away(2_000 + at);
      await call.silence(4_000);
      expect(call.transport.heard.length).toBe(14 * 2_400);
      expect(wasHeardOnce(call.transport.heard)).toBe(true);
    }
  });
});

describe('the caller', () => {
  it('whose microphone falls silent in mid-word has finished', async () => {
    const call = harness();
    call.call.connected();
    await call.say('what time is it', 800);
    await call.clock.run(6_000);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
    await call.say('and now', 600);
    await call.silence(3_000);
    expect(call.texts('agent')[1]).toBe('You said and now.');
  });

  it('who hangs up before an answer has said what they said', async () => {
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

  it('is never answered twice, nor is the order of the talk changed', async () => {
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
