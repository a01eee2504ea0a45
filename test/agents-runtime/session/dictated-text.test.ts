import { describe, expect, it } from 'vitest';
import { harness } from '../../support/harness/call/call-harness.js';
import { STORY, storyCall } from '../../support/harness/call/story-call.js';

const WORDS = 'A colleague will take over in a minute.';

describe('dictated text', () => {
  it('is spoken immediately if nobody speaks, and added to the record and the context', async () => {
    const call = harness();
    call.call.connected();
    await call.silence(500);
    expect(call.call.say(WORDS)).toBeUndefined();
    await call.silence(3_000);
    expect(call.texts('agent')).toEqual([WORDS]);
    expect(call.shown()).toEqual([`agent: ${WORDS}`]);
    await call.say('thank you', 600);
    await call.silence(3_000);
    expect(call.requests.at(-1)?.history.map(({ text }) => text)).toEqual([WORDS, 'thank you']);
    expect(call.faults).toEqual([]);
  });

  it('waits for the greeting', async () => {
    const call = harness({ config: { greeting: 'Hello and welcome.' } });
    call.call.connected();
    call.call.say(WORDS);
    await call.silence(5_000);
    expect(call.texts('agent')).toEqual(['Hello and welcome.', WORDS]);
  });

  it('waits for a speaking caller and the answer to them', async () => {
    const call = harness();
    call.call.connected();
    await call.say('what time', 400);
    call.call.say(WORDS);
    await call.say('what time is it', 600);
    await call.silence(6_000);
    expect(call.texts('agent')).toEqual([expect.stringMatching(/^You said /), WORDS]);
  });

  it('waits for a paused answer', async () => {
    const call = await storyCall();
    await call.cough(150);
    call.call.say(WORDS);
    await call.silence(8_000);
    expect(call.texts('agent')).toEqual([STORY, WORDS]);
  });

  it('is spoken completely if the caller speaks over it; the caller is answered afterwards', async () => {
    const call = harness({ config: { minInterruptionWords: 0 } });
    call.call.connected();
    await call.silence(200);
    call.call.say(WORDS);
    await call.silence(300);
    await call.say('who are you', 300);
    await call.silence(6_000);
    expect(call.control()).toEqual([]);
    expect(call.texts('agent')).toEqual([WORDS, 'You said who are you.']);
    expect([...call.turns.values()].some(({ cut }) => cut)).toBe(false);
  });

  it('keeps its order, and at most five texts are queued', async () => {
    const call = harness({ config: { greeting: 'Hello.' } });
    call.call.connected();
    const texts = ['One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.'];
    expect(texts.map((text) => call.call.say(text))).toEqual([...Array(5), 'busy']);
    await call.silence(9_000);
    expect(call.texts('agent')).toEqual(['Hello.', ...texts.slice(0, 5)]);
  });

  it('is refused during a goodbye and after the call', async () => {
    const call = harness({ config: { maxCallDurationMs: 1_000 } });
    call.call.connected();
    await call.silence(1_100);
    expect(call.call.say(WORDS)).toBe('ending');
    await call.silence(6_000);
    expect(call.ended()).toBe('max_duration_reached');
    expect(call.call.say(WORDS)).toBe('ending');
    expect(call.texts('agent')).not.toContain(WORDS);
  });

  it('leaves the call unchanged if the voice fails', async () => {
    const call = harness({ voiceFailsAfter: (text) => (text === WORDS ? 0 : undefined) });
    call.call.connected();
    await call.silence(200);
    call.call.say(WORDS);
    await call.silence(8_000);
    expect(call.states().at(-1)).toBe('listening');
    await call.say('still there', 600);
    await call.silence(4_000);
    expect(call.texts('agent').at(-1)).toBe('You said still there.');
  });
});
