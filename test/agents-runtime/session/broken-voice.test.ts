import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';

const LONG = 'We open at ten in the morning on every day of the week. ';
const LAST = 'We close at six.';
const BROKEN = 'Sorry, my answer broke off there.';

async function asked(options: HarnessOptions) {
  const call = harness({
    reply: async function* () {
      yield LONG;
      yield LAST;
    },
    ...options,
  });
  call.call.connected();
  await call.say('when are you open', 600);
  await call.silence(8_000);
  return call;
}

describe('a voice that breaks off in the middle of a sentence', () => {
  it('loses that sentence: the next voice says why, and the rest', async () => {
    const call = await asked({
      hasFallbackVoice: true,
      voiceFailsAfter: (text) => (text.startsWith('We open') ? 3 : undefined),
    });
    expect(call.texts('agent')).toEqual([`We open at ${BROKEN} ${LAST}`]);
    const words = `We open at ${BROKEN} ${LAST}`.split(' ').length;
    expect(call.transport.played.length).toBe(words * 2_400);
    expect(call.providers('agent')).toEqual([
      { models: ['script'], voices: ['script', 'fallback voice'] },
    ]);
    expect(call.faults).toEqual(['speech: Error: the voice died']);
    expect(call.states().at(-1)).toBe('listening');
  });

  it('says nothing of one that the next voice says whole', async () => {
    const call = await asked({ hasFallbackVoice: true, voiceFailsAfter: () => 0 });
    expect(call.texts('agent')).toEqual([`${LONG}${LAST}`]);
  });
});

describe('a voice that gives no sound', () => {
  it('is apologised for, as the caller would wait in vain', async () => {
    const call = await asked({ voiceIsMute: (text) => text.startsWith('We ') });
    expect(call.texts('agent')).toEqual(['Sorry, my voice broke off. Could you ask me again?']);
    expect(call.ended()).toBeUndefined();
  });

  it('ends the call when not even the apology is heard', async () => {
    const call = await asked({ voiceIsMute: () => true });
    expect(call.ended()).toBe('error_tts');
  });

  it('of one sentence leaves the others', async () => {
    const call = await asked({ voiceIsMute: (text) => text.startsWith('We open') });
    expect(call.texts('agent')).toEqual([LAST]);
    expect(call.faults).toEqual([]);
  });
});
