import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';

const LONG = 'We open at ten in the morning on every day of the week. ';
const LAST = 'We close at six.';
const BROKEN = 'Sorry, my answer broke off there.';

async function askQuestion(options: HarnessOptions) {
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

describe('voice that fails in mid-sentence', () => {
  it('drops that sentence: the next voice apologises and speaks the rest', async () => {
    const call = await askQuestion({
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

  it('is not mentioned if the next voice speaks the whole sentence', async () => {
    const call = await askQuestion({ hasFallbackVoice: true, voiceFailsAfter: () => 0 });
    expect(call.texts('agent')).toEqual([`${LONG}${LAST}`]);
  });
});

describe('voice without audio', () => {
  it('leads to an apology, because the caller would wait in vain', async () => {
    const call = await askQuestion({ voiceIsMute: (text) => text.startsWith('We ') });
    expect(call.texts('agent')).toEqual(['Sorry, my voice broke off. Could you ask me again?']);
    expect(call.ended()).toBeUndefined();
  });

  it('ends the call if the apology has no audio either', async () => {
    const call = await askQuestion({ voiceIsMute: () => true });
    expect(call.ended()).toBe('error_tts');
  });

  it('for one sentence does not affect the others', async () => {
    const call = await askQuestion({ voiceIsMute: (text) => text.startsWith('We open') });
    expect(call.texts('agent')).toEqual([LAST]);
    expect(call.faults).toEqual([]);
  });
});
