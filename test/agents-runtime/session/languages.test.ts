import { describe, expect, it } from 'vitest';
import type { LlmRequest, ReplyToken } from '../../../agents-runtime/contract/language-model.js';
import { CONFIG, type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';
import { toolCall } from '../../support/harness/call/scripted-tools.js';

const AUTO = { voice: { ...CONFIG.voice, language: 'auto' as const }, userSilenceTimeoutMs: 4_000 };
const GERMAN = /\b(wann|haben|offen|und)\b/;

const auto: HarnessOptions = {
  config: AUTO,
  languages: ['en', 'de'],
  languageOf: (text) => (GERMAN.test(text) ? 'de' : text.startsWith('quand') ? 'fr' : 'en'),
  reply: async function* ({ language }) {
    yield language === 'de' ? 'Wir haben bis neun offen.' : 'We are open until nine.';
  },
};

function begin(options: HarnessOptions) {
  const call = harness(options);
  call.call.connected();
  return call;
}

describe('language of a call', () => {
  it('follows the caller turn by turn and selects turn cues, voice and stock phrases', async () => {
    const call = begin(auto);
    await call.say('when are you open', 600);
    await call.silence(3_500);
    await call.say('wann haben Sie offen', 600);
    await call.silence(8_000);
    await call.say('and on sundays then', 600);
    await call.silence(3_500);
    expect(call.requests.map(({ language }) => language)).toEqual(['en', 'de', 'en']);
    expect(call.spokenBy).toEqual([
      'de in de: Wir haben bis neun offen.',
      'de in de: Sind Sie noch da?',
      'en in en: We are open until nine.',
    ]);
    expect(call.faults).toEqual([]);
  });

  it('does not change for one word, nor to a language without a voice', async () => {
    const call = begin(auto);
    await call.say('und', 400);
    await call.silence(2_500);
    await call.say('quand ouvrez vous', 600);
    await call.silence(2_500);
    expect(new Set(call.requests.map(({ language }) => language))).toEqual(new Set(['en']));
    expect(call.spokenBy).toEqual([]);
  });

  it('stays as configured', async () => {
    const call = begin({ ...auto, config: {} });
    await call.say('wann haben Sie offen', 600);
    await call.silence(3_000);
    expect(call.requests.map(({ language }) => language)).toEqual(['en']);
    expect(call.requests[0]!.tools).toBeUndefined();
  });

  it('can be changed by the LLM for its next text', async () => {
    const call = begin({
      ...auto,
      languageOf: () => undefined,
      reply: async function* ({ history }: LlmRequest): AsyncGenerator<ReplyToken> {
        if (history.at(-1)?.role === 'tool') {
          yield 'Ab jetzt auf Deutsch.';
          return;
        }
        yield 'Of course.';
        yield toolCall('switch_language', { language: 'de' });
      },
    });
    await call.say('please speak german now', 600);
    await call.silence(4_000);
    expect(call.texts('agent')).toEqual(['Of course. Ab jetzt auf Deutsch.']);
    expect(call.spokenBy).toEqual(['de in de: Ab jetzt auf Deutsch.']);
    expect(call.requests[0]!.tools!.map(({ name }) => name)).toEqual(['switch_language']);
  });

  it('is not changed to a language without a voice', async () => {
    const call = begin({
      ...auto,
      languageOf: () => undefined,
      reply: async function* ({ history }: LlmRequest): AsyncGenerator<ReplyToken> {
        const last = history.at(-1)!;
        if (last.role === 'tool') yield last.text;
        else yield toolCall('switch_language', { language: 'ru' });
      },
    });
    await call.say('please speak russian now', 600);
    await call.silence(4_000);
    expect(call.texts('agent')).toEqual(['Error: language is one of en, de.']);
  });
});
