import { describe, expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';

const RATE = 16_000;

/** Rejects more than 12 s per request, like the installed recogniser. */
function limited(parts: CallDependencies): Call {
  const { speechToText } = parts;
  return new Call({
    ...parts,
    speechToText: {
      ...speechToText,
      transcribe(samples, options) {
        if (samples.length > 12 * RATE) throw new Error('at most 12 s at a time');
        return speechToText.transcribe(samples, options);
      },
    },
  });
}

/** One word per half second, without a pause. */
async function spokenFor(seconds: number, options: HarnessOptions) {
  const call = harness({ config: { userSilenceTimeoutMs: 0 }, begin: limited, ...options });
  call.call.connected();
  const words = Array.from({ length: seconds * 2 }, (_, i) => `word${i}`);
  for (const word of words) await call.say(word, 500);
  await call.silence(12_000);
  return { call, words };
}

// Audio is kept for 16 s, and the last transcript is awaited for 1.5 s.
describe('long speech without a pause', () => {
  it.each([80, 600, 1_200, 1_600])(
    'is transcribed completely by a recogniser that takes %i ms',
    async (transcriptMs) => {
      for (const seconds of [12, 13, 14, 15, 16, 40]) {
        const { call, words } = await spokenFor(seconds, { transcriptMs });
        expect(call.faults).toEqual([]);
        const transcribed = call.texts('user').join(' ').split(' ');
        expect(words.filter((word) => !transcribed.includes(word))).toEqual([]);
      }
    },
  );
});
