import { describe, expect, it } from 'vitest';
import type { ReplyToken } from '../../../agents-runtime/contract/language-model.js';
import { type HarnessOptions, harness, sleep } from '../../support/harness/call/call-harness.js';
import {
  harnessWithTools,
  replyWithTools,
  toolCall,
} from '../../support/harness/call/scripted-tools.js';
import { storyCall, storyOptions } from '../../support/harness/call/story-call.js';

type Harness = ReturnType<typeof harness>;

/** Longest silence between the end of a turn and the next `listening`, in milliseconds. */
async function longestSilence(call: Harness, ms: number): Promise<number> {
  let longest = 0;
  let quiet = 0;
  let before = call.transport.played.length;
  for (let passed = 0; passed < ms && !call.ended(); passed += 20) {
    await call.silence(20);
    const isAudible = call.transport.played.length > before;
    before = call.transport.played.length;
    quiet = isAudible || call.states().at(-1) === 'listening' ? 0 : quiet + 20;
    longest = Math.max(longest, quiet);
  }
  return longest;
}

const never = () => new Promise<never>(() => undefined);

describe('LLM', () => {
  const models: Record<string, () => AsyncGenerator<ReplyToken>> = {
    'that returns nothing': async function* () {
      // The stream ends immediately.
    },
    'that fails': async function* () {
      yield '';
      throw new Error('dead');
    },
    'that never answers': async function* () {
      yield await never();
    },
    'that stops in the middle': async function* () {
      yield 'We open at ten. And then ';
      yield await never();
    },
    'that asks for tools without end': async function* () {
      yield toolCall('nothing');
    },
    'that writes 100,000 characters': async function* () {
      yield 'word '.repeat(20_000);
    },
  };

  it.each(Object.keys(models))(
    '%s causes less than 8 s of silence',
    async (name) => {
      const call = harness({ reply: models[name]!, config: { userSilenceTimeoutMs: 0 } });
      call.call.connected();
      await call.say('hello there', 600);
      expect(await longestSilence(call, 30_000)).toBeLessThan(8_000);
      expect(call.texts('agent').length).toBeGreaterThan(name.endsWith('characters') ? -1 : 0);
      call.call.hangUp('user_hangup');
      await call.clock.run(200);
      expect(call.clock.pending).toBe(0);
    },
    60_000,
  );

  it('that always fails ends the call after three apologies', async () => {
    const call = harness({ reply: models['that fails']!, config: { userSilenceTimeoutMs: 0 } });
    call.call.connected();
    for (let i = 0; i < 3; i++) {
      await call.say(`attempt number ${i}`, 600);
      await call.silence(5_000);
    }
    expect(call.ended()).toBe('error_llm');
    expect(call.texts('agent').at(-1)).toMatch(/Please call again later\. Goodbye\.$/);
  });

  it('that answers after the end of the call has no effect', async () => {
    const call = harness({
      reply: async function* () {
        await sleep(call.clock, 5_000);
        yield 'Too late.';
      },
    });
    call.call.connected();
    await call.say('hello there', 600);
    await call.silence(1_000);
    call.call.hangUp('user_hangup');
    await call.clock.run(20_000);
    expect(call.texts('agent')).toEqual([]);
    expect(call.clock.pending).toBe(0);
  });

  it('falls back to the next LLM, and a failed voice to the next voice', async () => {
    const call = harness({
      ...storyOptions,
      reply: models['that never answers']!,
      fallbackReplies: [storyOptions.reply!],
      hasFallbackVoice: true,
      voiceFailsAfter: (text) => (text.startsWith('One two') ? 0 : undefined),
    });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(10_000);
    expect(call.texts('agent')[0]).toMatch(/^One moment, please\. One two .* fourteen\.$/);
    // The failed voice had spoken the filler.
    expect(call.providers('agent')).toEqual([
      { models: ['fallback 1'], voices: ['script', 'fallback voice'] },
    ]);
    expect(call.providers('user')).toEqual([{ recognisers: ['script'] }]);
    expect(call.ended()).toBeUndefined();
  });
});

describe('LLM that fails in mid-reply', () => {
  const breaking = async function* (): AsyncGenerator<ReplyToken> {
    yield 'We open at ten. And we ';
    throw new Error('the connection died');
  };

  it('is reported to the caller, and the next LLM continues the answer', async () => {
    const call = harness({
      reply: breaking,
      fallbackReplies: [
        async function* () {
          yield 'We close at six.';
        },
      ],
    });
    call.call.connected();
    await call.say('when are you open', 600);
    await call.silence(8_000);
    expect(call.texts('agent')).toEqual([
      expect.stringMatching(
        /^We open at ten\. And we\s+Sorry, my answer broke off there\. We close at six\.$/,
      ),
    ]);
    expect(call.faults).toEqual([expect.stringContaining('the connection died')]);
    expect(call.providers('agent')).toEqual([
      { models: ['script', 'fallback 1'], voices: ['script'] },
    ]);
    expect(call.requests).toHaveLength(2);
    expect(call.requests[1]!.notes).toEqual([
      expect.stringContaining('"We open at ten. And we ". Say what is missing'),
    ]);
    expect(call.requests[1]!.history).toEqual(call.requests[0]!.history);
  });

  it('is replaced by the first fallback that answers', async () => {
    const call = harness({
      reply: breaking,
      fallbackReplies: [
        async function* () {
          yield await never();
        },
        async function* () {
          yield 'We close at six.';
        },
      ],
    });
    call.call.connected();
    await call.say('when are you open', 600);
    await call.silence(14_000);
    expect(call.texts('agent')[0]).toMatch(/^We open .* broke off there\. .*We close at six\.$/);
  });

  it('is reported if no fallback is left', async () => {
    const call = harness({ reply: breaking, fallbackReplies: [breaking] });
    call.call.connected();
    await call.say('when are you open', 600);
    await call.silence(8_000);
    expect(call.texts('agent')[0]!.match(/my answer broke off/g)).toHaveLength(2);
  });
});

describe('recogniser', () => {
  it('that always fails leads to two apologies, then ends the call', async () => {
    const call = harness({ recogniserFails: true, config: { userSilenceTimeoutMs: 0 } });
    call.call.connected();
    for (let i = 0; i < 3; i++) {
      await call.say('what time is it', 600);
      await call.silence(10_000);
    }
    expect(call.ended()).toBe('error_asr');
    expect(call.texts('agent').slice(0, 2)).toEqual(
      Array.from({ length: 2 }, () => 'Sorry, I did not catch that. Could you say it again?'),
    );
  });
});

describe('caller', () => {
  it('whose audio never arrives is notified, and the call ends', async () => {
    const call = harness({ config: { userSilenceTimeoutMs: 0 } });
    call.call.connected();
    await call.clock.run(12_000);
    expect(call.texts('agent')).toEqual([
      'I cannot hear any sound from you. Please check your microphone.',
    ]);
    await call.clock.run(25_000);
    expect(call.ended()).toBe('error_no_audio_received');
    expect(call.clock.pending).toBe(0);
  });

  it('who only types can stay in the call', async () => {
    const call = harness({ config: { userSilenceTimeoutMs: 0 } });
    call.call.connected();
    call.call.typed('hello');
    await call.clock.run(40_000);
    expect(call.ended()).toBeUndefined();
  });
});

describe('tool', () => {
  it.each([
    ['that fails', { fails: true }, 'Error: the tool failed'],
    ['that hangs', { durationMs: 1e9, timeoutMs: 6_000 }, 'Error: the tool did not answer in time'],
    ['that brings too much', { outcome: { text: 'x'.repeat(100_000) } }, 'xxx'],
  ] as const)(
    '%s returns an error or a truncated result to the LLM',
    async (_, tool, expectedResult) => {
      const call = harnessWithTools({ look: tool }, { reply: replyWithTools(toolCall('look')) });
      call.call.connected();
      await call.say('look at this', 600);
      expect(await longestSilence(call, 12_000)).toBeLessThan(8_000);
      const item = call.requests.at(-1)!.history.at(-1)!;
      expect(item).toMatchObject({ role: 'tool' });
      expect(item.text.startsWith(expectedResult)).toBe(true);
      expect(item.text.length).toBeLessThanOrEqual(16_000);
      call.call.hangUp('user_hangup');
      await call.clock.run(200);
      expect(call.clock.pending).toBeLessThanOrEqual(1);
    },
  );

  it('never runs for a speculative reply that was dropped', async () => {
    const call = harnessWithTools(
      { look: {} },
      {
        reply: replyWithTools(toolCall('look')),
        config: { minEndpointingMs: 900, minSilenceMs: 900 },
      },
    );
    call.call.connected();
    await call.say('look at', 600);
    await call.silence(600);
    expect(call.requests.length).toBeGreaterThan(0);
    expect(call.called).toEqual([]);
    await call.say('this one', 600);
    await call.silence(3_000);
    expect(call.called).toHaveLength(1);
  });

  it('ends the call with its reason after the reply has been played', async () => {
    const options: HarnessOptions = {
      reply: async function* () {
        yield 'I put you through to a colleague.';
        yield toolCall('transfer');
      },
    };
    const outcome = { text: 'done', ends: 'transferred' } as const;
    const call = harnessWithTools({ transfer: { outcome } }, options);
    call.call.connected();
    await call.say('a human please', 600);
    await call.silence(5_000);
    expect(call.ended()).toBe('transferred');
    expect(call.texts('agent')).toEqual(['I put you through to a colleague.']);
    expect(call.transport.played.length).toBe(7 * 2_400);
  });
});

describe('time limit of a call', () => {
  it('is announced to the LLM and the caller 30 s before', async () => {
    const call = harness({ config: { maxCallDurationMs: 40_000, userSilenceTimeoutMs: 0 } });
    call.call.connected();
    await call.silence(13_000);
    expect(call.texts('agent')).toEqual(['We have about half a minute left.']);
    await call.say('thank you', 600);
    await call.silence(3_000);
    expect(call.requests.at(-1)?.notes).toEqual([expect.stringContaining('30 seconds')]);
  });

  it('keeps the goodbye if the caller speaks over it', async () => {
    const call = await storyCall({ config: { maxCallDurationMs: 4_000 } });
    await call.silence(2_000);
    await call.say('one more thing', 500);
    await call.silence(5_000);
    expect(call.ended()).toBe('max_duration_reached');
    expect(call.texts('user')).toContain('one more thing');
  });
});
