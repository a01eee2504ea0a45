import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness, sleep } from '../../support/harness/call/call-harness.js';
import '../../support/harness/process/property-seed.js';

const BOUND_MS = 5_000;
/** Longer than any timeout, in milliseconds. */
const HANGS = 1_000_000;

/** Time from the last sample of the caller's speech to the first sample played to them, in ms. */
async function silenceAfterTurn(options: HarnessOptions, modelMs: number): Promise<number> {
  const call = harness({
    reply: async function* () {
      await sleep(call.clock, modelMs);
      yield 'We open at ten.';
    },
    ...options,
    config: { userSilenceTimeoutMs: 0 },
  });
  call.call.connected();
  await call.say('when do you open', 600);
  let silenceMs = 0;
  for (; call.transport.played.length === 0 && silenceMs < 3 * BOUND_MS; silenceMs += 20) {
    await call.silence(20);
  }
  call.call.hangUp('user_hangup');
  await call.clock.run(100);
  return silenceMs;
}

describe('LLM and voice that hang at the same time', () => {
  it('cause at most 5 s of silence: the next voice speaks a filler', async () => {
    const options = { voiceMs: HANGS, hasFallbackVoice: true };
    expect(await silenceAfterTurn(options, HANGS)).toBeLessThanOrEqual(BOUND_MS);
  });

  it('cause at most 5 s of silence if the only voice recovers: it apologises', async () => {
    const isFiller = (text: string) => text.startsWith('One moment');
    const options = { voiceHangs: isFiller };
    expect(await silenceAfterTurn(options, HANGS)).toBeLessThanOrEqual(BOUND_MS);
  });

  it('are not awaited again for the next sentence', async () => {
    const call = harness({
      reply: async function* () {
        yield 'We open at ten in the morning. ';
        yield 'We close at six in the evening. ';
        yield 'We are there on Sundays, too.';
      },
      voiceMs: HANGS,
      hasFallbackVoice: true,
      config: { userSilenceTimeoutMs: 0 },
    });
    call.call.connected();
    await call.say('when do you open', 600);
    await call.silence(BOUND_MS + 2_500);
    expect(call.texts('agent')).toEqual([
      'We open at ten in the morning. We close at six in the evening. We are there on Sundays, too.',
    ]);
    call.call.hangUp('user_hangup');
    await call.clock.run(100);
  });
});

it('the silence after a turn is at most 5 s for any delays of LLM and voice', async () => {
  const delayMs = fc.oneof(fc.integer({ min: 0, max: 6_000 }), fc.constant(HANGS));
  await fc.assert(
    fc.asyncProperty(delayMs, delayMs, async (modelMs, voiceMs) => {
      const options = { voiceMs, hasFallbackVoice: true };
      expect(await silenceAfterTurn(options, modelMs)).toBeLessThanOrEqual(BOUND_MS);
    }),
    { numRuns: 60 },
  );
}, 60_000);
