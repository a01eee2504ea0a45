import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';

/** A call in which the agent gives a protected answer of 4 s. */
async function protectedAnswer(options: HarnessOptions = {}) {
  const call = harness({
    reply: async function* ({ history }) {
      const userText = history.at(-1)?.text;
      yield userText === 'tell me' ? `${'word '.repeat(39)}end.` : `You said ${userText}.`;
    },
    ...options,
    config: { allowInterruptions: false, userSilenceTimeoutMs: 0 },
  });
  call.call.connected();
  await call.say('tell me', 600);
  while (call.states().at(-1) !== 'speaking') await call.silence(20);
  await call.say('one more thing', 600);
  await call.silence(1_000);
  return call;
}

const user = (lines: readonly string[]) => lines.filter((line) => line.startsWith('user'));

describe('turn that waits for protected speech to end', () => {
  it('is displayed once if typed text joins it', async () => {
    const call = await protectedAnswer();
    call.call.typed('and this');
    await call.silence(5_000);
    expect(user(call.shown())).toEqual(['user: tell me', 'user: one more thing and this']);
    expect(call.openSegments()).toEqual([]);
  });

  it('is displayed once if it becomes part of an unfinished turn', async () => {
    const call = await protectedAnswer();
    await call.silence(500);
    await call.say('that I forgot before', 3_000);
    await call.silence(3_000);
    expect(user(call.shown())).toEqual([
      'user: tell me',
      'user: one more thing that I forgot before',
    ]);
    expect(call.openSegments()).toEqual([]);
  });

  it('is displayed once if the call ends while the caller continues', async () => {
    const call = await protectedAnswer();
    await call.say('that I forgot before', 900);
    call.call.hangUp('user_hangup');
    await call.clock.run(5_000);
    expect(user(call.shown())).toEqual([
      'user: tell me',
      'user: one more thing that I forgot before',
    ]);
    expect(call.texts('user').at(-1)).toBe('one more thing that I forgot before');
    expect(call.openSegments()).toEqual([]);
  });
});

it('a noise without words leaves no open segment if the call ends during it', async () => {
  const call = harness();
  call.call.connected();
  await call.cough(600);
  await call.silence(300);
  expect(call.openSegments()).toEqual(['u1']);
  call.call.hangUp('user_hangup');
  await call.clock.run(1_000);
  expect(call.openSegments()).toEqual([]);
  expect(call.texts('user')).toEqual([]);
});
