import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';
import {
  STORY,
  storyCall,
  storyOptions,
  wasPlayedOnce,
} from '../../support/harness/call/story-call.js';

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
    const call = harness({ transcriptMs: 9_000 });
    call.call.connected();
    await call.say('what time is it', 400);
    await call.silence(12_000);
    expect(call.texts('user')).toEqual([]);
    expect(call.texts('agent')).toEqual(['Sorry, I did not catch that. Could you say it again?']);
    expect(call.states()).toEqual(['listening', 'speaking', 'listening']);
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
    // One that has not begun is asked twice.
    expect(call.faults).toEqual(words.length > 0 ? [DEAD] : [DEAD, DEAD]);
    expect(call.states().at(-1)).toBe('listening');
  });

  it.each([0, 3])('as a voice, after %s words of each text, ends the call', async (words) => {
    const call = harness({ ...storyOptions, voiceFailsAfter: () => words });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(4_000);
    expect(call.ended()).toBe('error_tts');
    expect(call.transport.played.length).toBe(2 * words * 2_400);
    expect(new Set(call.faults)).toEqual(new Set(['speech: Error: the voice died']));
    const told = call.transport.events.filter(({ type }) => type === 'error');
    expect(told[0]).toEqual(expect.objectContaining({ code: 'SPEECH_FAILED' }));
    expect(call.texts('agent')[0]).toBe(words ? 'One two three' : undefined);
    expect(call.clock.pending).toBe(0);
  });

  it('as a voice, once, is apologised for with what was heard of it', async () => {
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
    const call = await storyCall();
    await call.cough(180);
    expect(call.control()).toEqual(['pause']);
    await call.disconnect(4_000);
    await call.silence(4_000);
    expect(call.transport.played.length).toBe(14 * 2_400);
    expect(wasPlayedOnce(call.transport.played)).toBe(true);
  });

  it('that hid a cut is told of it: nothing old is heard, and the client plays on', async () => {
    const call = await storyCall({ transcriptMs: 500 });
    await call.say('stop', 300);
    expect(call.control()).toEqual(['pause']);
    const heardBefore = call.transport.played.length;
    await call.disconnect(4_000);
    expect(call.control().at(-1)).toBe('clear');
    await call.silence(4_000);
    expect(call.texts('agent')[1]).toBe('You said stop.');
    // Three words of the new answer, and of the old one not a sample more.
    expect(call.transport.played.length - heardBefore).toBe(3 * 2_400);
  });

  it('loses nothing however long it was away, wherever in an answer', async () => {
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
