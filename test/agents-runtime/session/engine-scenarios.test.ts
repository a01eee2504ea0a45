import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness, sleep } from '../../support/harness/call/call-harness.js';
import {
  harnessWithTools,
  replyWithTools,
  toolCall,
} from '../../support/harness/call/scripted-tools.js';
import {
  STORY,
  storyCall,
  storyOptions,
  wasPlayedOnce,
} from '../../support/harness/call/story-call.js';

type Harness = ReturnType<typeof harness>;

/** Says a text as one turn and waits for its answer. */
async function ask(call: Harness, text: string, ms = 6_000): Promise<void> {
  await call.say(text, 600);
  await call.silence(ms);
}

const users = (call: Harness) =>
  call.requests
    .at(-1)
    ?.history.filter(({ role }) => role === 'user')
    .map(({ text }) => text);

describe('call scenario', () => {
  it('interruption before speaking: the turn is reopened and answered once', async () => {
    const call = harness({ voiceMs: 1_500 });
    call.call.connected();
    await call.say('I would like', 600);
    await call.silence(700);
    await call.say('a table', 600);
    await call.silence(4_000);
    expect(call.texts('user')).toEqual(['I would like a table']);
    expect(call.texts('agent')).toEqual(['You said I would like a table.']);
  });

  it('interruption before speaking with pausable output: a noise only delays the answer', async () => {
    for (const canPause of [true, false]) {
      const call = harness({ voiceMs: 1_500, canPause });
      call.call.connected();
      await call.say('what time is it', 600);
      await call.silence(700);
      await call.cough(200);
      await call.silence(6_000);
      expect(call.texts('agent')).toEqual(['You said what time is it.']);
      expect(call.control()).toEqual([]);
      expect(wasPlayedOnce(call.transport.played)).toBe(true);
    }
  });

  it('false interruption with pausable output: resumes at the exact sample', async () => {
    const call = await storyCall();
    await call.cough(200);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'resume']);
    expect(wasPlayedOnce(call.transport.played)).toBe(true);
    expect(call.transport.played.length).toBe(14 * 2_400);
  });

  it('false interruption without pausable output: repeats at most 200 ms', async () => {
    for (const networkDelayMs of [0, 60]) {
      // Repeated samples were rounded to 16 bits: samples count in these steps.
      const sampleAt = (n: number) => n / 32_768 - 1;
      const call = await storyCall({ canPause: false, networkDelayMs, sampleAt });
      await call.cough(200);
      await call.silence(5_000);
      expect(call.control()).toEqual(['clear']);
      const numbers = call.transport.played.map((sample) => sample * 32_768);
      expect(new Set(numbers).size).toBe(14 * 2_400);
      expect((numbers.length - 14 * 2_400) / 24).toBeLessThanOrEqual(200);
      expect(call.texts('agent')).toEqual([STORY]);
    }
  });

  it('resume after a dropped turn: waits until the recogniser has returned no words', async () => {
    const call = await storyCall({ transcriptMs: 900 });
    await call.cough(200);
    await call.silence(4_000);
    const [paused, resumed] = call.transport.control.map((line) => Number.parseInt(line, 10));
    expect(resumed! - paused!).toBeGreaterThan(900);
    expect(call.texts('agent')).toEqual([STORY]);
  });

  it('committed turn: suppresses the resume', async () => {
    const call = await storyCall();
    await call.say('stop now', 500);
    await call.silence(4_000);
    expect(call.control()).toEqual(['pause', 'clear']);
    expect(call.texts('agent')[1]).toBe('You said stop now.');
  });

  it('closing: does not resume', async () => {
    const call = await storyCall();
    await call.cough(200);
    call.call.hangUp('user_hangup');
    await call.clock.run(3_000);
    expect(call.control()).toEqual(['pause', 'clear']);
    expect(call.clock.pending).toBe(0);
  });

  it('interruption by text: clears the playout', async () => {
    const call = await storyCall();
    call.call.typed('never mind');
    await call.silence(2_000);
    expect(call.control()).toEqual(['clear']);
    expect(call.texts('agent')[1]).toBe('You said never mind.');
    expect([...call.turns.values()].map(({ cut }) => cut)).toEqual([false, true, false, false]);
  });

  it('min words 3 and 0: two words do not interrupt, three do, and with 0 any speech does', async () => {
    const cases = [
      [3, 'stop it', ['pause', 'resume']],
      [3, 'stop it now', ['pause', 'clear']],
      [0, 'stop', ['clear']],
    ] as const;
    for (const [minInterruptionWords, words, control] of cases) {
      const call = await storyCall({ config: { minInterruptionWords } });
      await call.say(words, 400);
      await call.silence(4_000);
      expect(call.control(), words).toEqual(control);
      expect(call.texts('agent')[1], words).toBe(`You said ${words}.`);
    }
  });

  it('interruptions off: the speech is the next turn', async () => {
    const call = await storyCall({ config: { allowInterruptions: false } });
    await call.say('stop now please', 500);
    await call.silence(4_000);
    expect(call.control()).toEqual([]);
    expect(call.texts('agent')).toEqual([STORY, 'You said stop now please.']);
  });

  it('greeting: protected unless its setting allows interruptions', async () => {
    const greeting = 'Hello and welcome to our shop how can I help you today then.';
    for (const allowInterruptionsOnGreeting of [false, true]) {
      const call = harness({ config: { greeting, allowInterruptionsOnGreeting } });
      call.call.connected();
      await call.silence(300);
      await call.say('are you open', 500);
      await call.silence(4_000);
      expect(call.control()).toEqual(allowInterruptionsOnGreeting ? ['pause', 'clear'] : []);
      expect(call.texts('agent')[1]).toBe('You said are you open.');
    }
  });

  it('backchannel over a sentence: neither interrupts nor is answered', async () => {
    const long = `${STORY.slice(0, -1)} and ${STORY}`;
    for (const [word, wanted] of [
      ['mhm', [long]],
      ['no', [expect.any(String), 'You said no.']],
    ] as const) {
      const call = await storyCall(answering(long));
      await call.say(word, 300);
      await call.silence(5_000);
      expect(call.texts('agent'), word).toEqual(wanted);
    }
  });

  it('backchannel after a question, or just before the end: is the answer', async () => {
    const question =
      'Would you like one with a view of the sea and the hills and the old town tonight?';
    for (const text of [question, 'One two three four five six seven eight nine ten.']) {
      const call = await storyCall(answering(text));
      await call.say('yes', 300);
      await call.silence(5_000);
      expect(call.texts('user').at(-1), text).toBe('yes');
      expect(call.texts('agent').at(-1), text).toBe('You said yes.');
    }
  });

  it('late final transcript: the turn waits for it and commits immediately', async () => {
    const call = harness({ transcriptMs: 1_500 });
    call.call.connected();
    await ask(call, 'what time is it');
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
  });

  it('outdated final transcript: has no effect', async () => {
    const call = harness({ transcriptMs: 9_000, config: { userSilenceTimeoutMs: 0 } });
    call.call.connected();
    await ask(call, 'what time is it', 13_000);
    expect(call.texts('user')).toEqual([]);
    expect(call.texts('agent')).toEqual([expect.stringContaining('did not catch')]);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('final transcript at the moment of the commit: makes one turn', async () => {
    for (let transcriptMs = 300; transcriptMs <= 400; transcriptMs += 5) {
      const call = harness({ transcriptMs });
      call.call.connected();
      await ask(call, 'what time is it', 3_000);
      expect(call.texts('user')).toEqual(['what time is it']);
      expect(call.texts('agent')).toEqual(['You said what time is it.']);
    }
  });

  it('slow tool: a filler after 1.2 s of silence, and the result without a prompt', async () => {
    const call = harnessWithTools(
      { look: { durationMs: 5_000 } },
      { reply: replyWithTools(toolCall('look')) },
    );
    call.call.connected();
    await ask(call, 'how many', 1_000);
    const thinkingAt = call.clock.now();
    await call.silence(1_600);
    expect(call.states().slice(0, 3)).toEqual(['listening', 'thinking', 'speaking']);
    await call.silence(1_400);
    expect(call.states().at(-1)).toBe('thinking');
    await call.silence(5_000);
    expect(call.called).toHaveLength(1);
    expect(thinkingAt).toBeLessThan(5_000);
    expect(call.texts('agent')).toEqual(['One moment, please. The answer is: look says five.']);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('async tool: never blocks the turn, and its result is added to the context', async () => {
    const call = harnessWithTools(
      { note: { mode: 'async', durationMs: 4_000 } },
      { reply: replyWithTools(toolCall('note')) },
    );
    call.call.connected();
    await ask(call, 'write it down', 3_000);
    expect(call.texts('agent')).toEqual([expect.stringContaining('it runs in the background')]);
    await call.silence(3_000);
    await ask(call, 'and now', 3_000);
    const brought = call.requests.at(-1)!.history.filter(({ role }) => role === 'tool');
    expect(brought.map(({ text }) => text)).toContain('note says five');
  });

  it('tool result of an interrupted reply: is announced to the caller and sent to the LLM', async () => {
    const call = harnessWithTools(
      { look: { durationMs: 4_000 } },
      {
        reply: async function* ({ history }) {
          const last = history.at(-1)!;
          if (last.role === 'tool') yield `It is ${last.text}.`;
          else if (last.text === 'how many') yield toolCall('look');
          else yield 'Fine.';
        },
      },
    );
    call.call.connected();
    await ask(call, 'how many', 2_200);
    const before = call.clock.now();
    await call.say('stop it', 500);
    expect(call.clock.now() - before).toBeLessThan(2_000);
    expect(call.states().at(-1)).toBe('listening');
    await call.silence(8_000);
    expect(call.texts('agent').at(-1)).toBe('It is look says five.');
    expect(call.called).toHaveLength(1);
  });

  it('unknown tool: the LLM receives the list of tools', async () => {
    const call = harnessWithTools({ look: {} }, { reply: replyWithTools(toolCall('fly')) });
    call.call.connected();
    await ask(call, 'fly me to the moon');
    expect(call.called).toEqual([]);
    expect(call.texts('agent')[0]).toContain('no tool of that name. The tools are: look');
  });

  it('invalid arguments: the LLM receives the error', async () => {
    for (const [args, problem] of [
      ['{"a":', 'not a JSON object'],
      ['[1]', 'not a JSON object'],
      ['{"wrong":1}', 'wrong is no argument'],
    ] as const) {
      const call = harnessWithTools(
        { look: {} },
        { reply: replyWithTools(toolCall('look', args)) },
      );
      call.call.connected();
      await ask(call, 'look at this');
      expect(call.called, args).toEqual([]);
      expect(call.texts('agent')[0], args).toContain(problem);
    }
  });

  it.each([
    ['before', [], ['The other answers.']],
    [
      'during',
      ['We open at ', 'ten and '],
      [/^We open at ten and\s+Sorry, my answer broke off there\. The other answers\.$/],
    ],
    [
      'after',
      ['We open.', ' '],
      [/^We open\.\s+Sorry, my answer broke off there\. The other answers\.$/],
    ],
  ] as const)('LLM that fails %s the first byte', async (_, words, wanted) => {
    const call = harness({
      reply: async function* () {
        yield* words;
        throw new Error('dead');
      },
      fallbackReplies: [
        async function* () {
          yield 'The other answers.';
        },
      ],
    });
    call.call.connected();
    await ask(call, 'when do you open');
    expect(call.texts('agent')).toEqual(
      wanted.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
    );
    expect(call.states().at(-1)).toBe('listening');
  });

  it('empty reply: leads to an apology', async () => {
    const call = harness({
      reply: async function* () {
        yield '';
      },
    });
    call.call.connected();
    await ask(call, 'hello there');
    expect(call.texts('agent')).toEqual([expect.stringMatching(/^Sorry/)]);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('reply of one emoji: the agent stays silent', async () => {
    const call = harness({
      reply: async function* () {
        yield '👍';
      },
    });
    call.call.connected();
    await ask(call, 'thank you');
    expect(call.states()).toEqual(['listening', 'thinking', 'listening']);
  });

  it('inactivity timer with noise: is not restarted and prompts in time', async () => {
    for (const noise of [false, true]) {
      const call = harness({ config: { userSilenceTimeoutMs: 5_000 } });
      call.call.connected();
      for (let passed = 0; passed < 8_000; passed += 1_000) {
        await (noise ? call.cough(200) : call.silence(200));
        await call.silence(800);
      }
      expect(call.texts('agent')).toEqual(['Are you still there?']);
    }
  });

  it('maximum duration while speaking: a goodbye, and the end at most 5 s late', async () => {
    const call = harness({
      config: { maxCallDurationMs: 4_000 },
      reply: async function* () {
        for (;;) yield 'and so on and so forth. ';
      },
    });
    call.call.connected();
    await call.say('go on', 600);
    let endedAt: number | undefined;
    while (endedAt === undefined && call.clock.now() < 15_000) {
      await call.silence(20);
      if (call.ended()) endedAt = call.clock.now();
    }
    expect(call.ended()).toBe('max_duration_reached');
    expect(endedAt).toBeLessThanOrEqual(9_000);
    expect(call.texts('agent').at(-1)).toBe('Our time is up. Thank you, and goodbye.');
    await call.clock.run(100);
    expect(call.clock.pending).toBe(0);
  });

  it('resumed socket: loses no audio', async () => {
    const call = await storyCall();
    await call.disconnect(4_000);
    await call.silence(4_000);
    expect(call.transport.played.length).toBe(14 * 2_400);
    expect(wasPlayedOnce(call.transport.played)).toBe(true);
  });
});

describe('latency of a turn', () => {
  // Seconds: speech 0.5–2.5, first token 0.1, complete text 0.3, voice 0.2. Without a speculative
  // reply, commit at 3.0 and speaking at 3.5; with one, it starts with the transcript at 2.76.
  const timed = (call: () => Harness, transcriptMs: number): HarnessOptions => ({
    config: { minSilenceMs: 500, minEndpointingMs: 500 },
    transcriptMs,
    voiceMs: 200,
    reply: async function* () {
      await sleep(call().clock, 100);
      yield 'It is';
      await sleep(call().clock, 200);
      yield ' noon.';
    },
  });

  it.each([
    ['with a speculative reply', 60, 3_270],
    ['without a speculative reply', 300, 3_500],
  ])('is exact %s', async (_, transcriptMs, speakingAt) => {
    let call: Harness | undefined;
    call = harness(timed(() => call!, transcriptMs));
    const times: string[] = [];
    const send = call.transport.send.bind(call.transport);
    call.transport.send = (event) => {
      if (event.type === 'state') times.push(`${event.state} ${call!.clock.now()}`);
      send(event);
    };
    call.call.connected();
    await call.silence(500);
    await call.say('what time is it', 2_000);
    await call.silence(3_000);
    const at = (state: string) =>
      Number(times.find((line) => line.startsWith(state))?.split(' ')[1]);
    // Sample time has the resolution of a VAD window and a packet.
    expect(Math.abs(at('thinking') - 3_000)).toBeLessThanOrEqual(60);
    expect(Math.abs(at('speaking') - speakingAt)).toBeLessThanOrEqual(80);
  });
});

describe('conversation', () => {
  it('has each turn once and in order, after any interruptions', async () => {
    const call = await storyCall();
    await call.say('stop now', 500);
    await call.silence(3_000);
    expect(users(call)).toEqual(['tell me', 'stop now']);
    expect(call.requests.at(-1)?.history.map(({ cut }) => cut)).toEqual([false, true, false]);
  });
});

/** Answers `tell me` with a text and echoes anything else. */
function answering(text: string): HarnessOptions {
  return {
    ...storyOptions,
    reply: async function* ({ history }) {
      const said = history.at(-1)?.text;
      yield said === 'tell me' ? text : `You said ${said}.`;
    },
  };
}
