import { type HarnessOptions, harness } from './call-harness.js';

/** Fourteen words, 100 ms each. */
export const STORY =
  'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.';

/** Answers `tell me` with the story and echoes anything else. */
export const storyOptions: HarnessOptions = {
  reply: async function* ({ history }) {
    yield history.at(-1)?.text === 'tell me' ? STORY : `You said ${history.at(-1)?.text}.`;
  },
};

/** Starts a call whose agent has spoken about half a second of the story. */
export async function storyCall(options: HarnessOptions = {}) {
  const call = harness({ ...storyOptions, ...options });
  call.call.connected();
  await call.say('tell me', 600);
  while (call.states().at(-1) !== 'speaking') await call.silence(20);
  await call.silence(480);
  return call;
}

/**
 * Whether each sample was played at most once and in order: the scripted voice counts its samples.
 */
export const wasPlayedOnce = (samples: readonly number[]) =>
  samples.every((sample, i) => i === 0 || sample > samples[i - 1]!);
