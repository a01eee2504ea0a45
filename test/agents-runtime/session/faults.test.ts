import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';
import {
  STORY,
  storyCall,
  storyOptions,
  wasPlayedOnce,
} from '../../support/harness/call/story-call.js';

describe('recogniser', () => {
  it('that is late is awaited', async () => {
    const call = harness({ transcriptMs: 1_500 });
    call.call.connected();
    await call.say('what time is it', 400);
    await call.silence(5_000);
    expect(call.texts('user')).toEqual(['what time is it']);
    expect(call.texts('agent')).toEqual(['You said what time is it.']);
  });

  it('that exceeds the timeout loses the turn, and its late final transcript has no effect', async () => {
    const call = harness({ transcriptMs: 9_000 });
    call.call.connected();
    await call.say('what time is it', 400);
    await call.silence(12_000);
    expect(call.texts('user')).toEqual([]);
    expect(call.texts('agent')).toEqual(['Sorry, I did not catch that. Could you say it again?']);
    expect(call.states()).toEqual(['listening', 'speaking', 'listening']);
  });

  it('whose final transcript arrives at the moment of the commit makes one turn', async () => {
    for (let transcriptMs = 300; transcriptMs <= 400; transcriptMs += 5) {
      const call = harness({ transcriptMs });
      call.call.connected();
      await call.say('what time is it', 400);
      await call.silence(3_000);
      expect(call.texts('user')).toEqual(['what time is it']);
      expect(call.texts('agent')).toEqual(['You said what time is it.']);
    }
  });

  it('that fails leaves a call that still accepts text', async () => {
    const call = harness({ recogniserFails: true });
    call.call.connected();
    await call.say('what time is it', 600);
    await call.silence(9_000);
    expect(call.states().at(-1)).toBe('listening');
    expect(call.faults.every((fault) => fault.startsWith('recogniser'))).toBe(true);
    expect(call.faults.length).toBeGreaterThan(0);
    call.call.typed('hello');
    await call.silence(2_000);
    expect(call.texts('agent')).toEqual([
      'Sorry, I did not catch that. Could you say it again?',
      'You said hello.',
    ]);
  });
});

const DEAD = 'reply: Error: dead';

describe('failure of an LLM or a voice', () => {
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
  ])('%s leads to a notice for the caller', async (_, words, said) => {
    const call = harness(dying(words));
    call.call.connected();
    await call.say('when do you open', 600);
    await call.silence(6_000);
    expect(call.texts('agent')).toEqual([expect.stringMatching(said)]);
    // A reply without tokens is requested twice.
    expect(call.faults).toEqual(words.length > 0 ? [DEAD] : [DEAD, DEAD]);
    expect(call.states().at(-1)).toBe('listening');
  });

  it.each([0, 3])('of a voice after %s words of each text ends the call', async (words) => {
    const call = harness({ ...storyOptions, voiceFailsAfter: () => words });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(4_000);
    expect(call.ended()).toBe('error_tts');
    expect(call.transport.played.length).toBe(2 * words * 2_400);
    expect(new Set(call.faults)).toEqual(new Set(['speech: Error: the voice died']));
    const errorEvents = call.transport.events.filter(({ type }) => type === 'error');
    expect(errorEvents[0]).toEqual(expect.objectContaining({ code: 'SPEECH_FAILED' }));
    expect(call.texts('agent')[0]).toBe(words ? 'One two three' : undefined);
    expect(call.clock.pending).toBe(0);
  });

  it('of a voice once leads to an apology after the played text', async () => {
    const call = harness({
      ...storyOptions,
      voiceFailsAfter: (text) => (text === STORY ? 3 : undefined),
    });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(4_000);
    expect(call.texts('agent')).toEqual([
      'One two three',
      'Sorry, my voice broke off. Could you ask me again?',
    ]);
    expect(call.states().at(-1)).toBe('listening');
    expect(call.ended()).toBeUndefined();
  });

  it('does not affect the next turn', async () => {
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

  it('a reply of one emoji leaves the agent silent', async () => {
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

describe('disconnection', () => {
  it("during a pause lets the agent continue at the client's playhead", async () => {
    const call = await storyCall();
    await call.cough(180);
    expect(call.control()).toEqual(['pause']);
    await call.disconnect(4_000);
    await call.silence(4_000);
    expect(call.transport.played.length).toBe(14 * 2_400);
    expect(wasPlayedOnce(call.transport.played)).toBe(true);
  });

  it('during which the playout was cleared drops the old audio, and the client plays the new answer', async () => {
    const call = await storyCall({ transcriptMs: 500 });
    await call.say('stop', 300);
    expect(call.control()).toEqual(['pause']);
    const playedBefore = call.transport.played.length;
    await call.disconnect(4_000);
    expect(call.control().at(-1)).toBe('clear');
    await call.silence(4_000);
    expect(call.texts('agent')[1]).toBe('You said stop.');
    // Three words of the new answer and no further sample of the old one.
    expect(call.transport.played.length - playedBefore).toBe(3 * 2_400);
  });

  it('of any duration, at any point of an answer, loses no audio', async () => {
    for (const at of [0, 20, 130, 390, 410, 900]) {
      const call = await storyCall();
      await call.silence(at);
      await call.disconnect(2_000 + at);
      await call.silence(4_000);
      expect(call.transport.played.length).toBe(14 * 2_400);
      expect(wasPlayedOnce(call.transport.played)).toBe(true);
    }
  });
});
