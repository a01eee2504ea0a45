import { type HarnessOptions, harness } from './call-harness.js';

/** Fourteen words, 100 ms each. */
export const STORY =
  'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.';

/** Tells it when asked to; else an echo. */
export const story: HarnessOptions = {
  reply: async function* ({ history }) {
    yield history.at(-1)?.text === 'tell me' ? STORY : `You said ${history.at(-1)?.text}.`;
  },
};

/** A call in which the agent has told its story for about half a second. */
export async function telling(options: HarnessOptions = {}) {
  const call = harness({ ...story, ...options });
  call.call.connected();
  await call.say('tell me', 600);
  while (call.states().at(-1) !== 'speaking') await call.silence(20);
  await call.silence(480);
  return call;
}

/** No sample twice and none out of order: the scripted voice counts its samples. */
export const wasHeardOnce = (samples: readonly number[]) =>
  samples.every((sample, i) => i === 0 || sample > samples[i - 1]!);
