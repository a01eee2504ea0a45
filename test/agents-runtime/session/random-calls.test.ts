import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harness, sleep } from '../../support/harness/call/call-harness.js';
import '../../support/harness/process/property-seed.js';

type Act =
  | { readonly type: 'say'; readonly words: number; readonly ms: number }
  | { readonly type: 'cough' | 'silence' | 'disconnect'; readonly ms: number }
  | { readonly type: 'type' };

const ms = (max: number) => fc.integer({ min: 1, max: max / 20 }).map((frames) => frames * 20);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    type: fc.constant('say' as const),
    words: fc.integer({ min: 1, max: 4 }),
    ms: ms(1_500),
  }),
  fc.record({ type: fc.constant('cough' as const), ms: ms(600) }),
  fc.record({ type: fc.constant('silence' as const), ms: ms(2_500) }),
  fc.record({ type: fc.constant('disconnect' as const), ms: ms(4_000) }),
  fc.constant({ type: 'type' as const }),
);

const world = fc.record({
  script: fc.array(act, { minLength: 1, maxLength: 9 }),
  minInterruptionWords: fc.integer({ min: 0, max: 3 }),
  allowInterruptions: fc.boolean(),
  greeting: fc.constantFrom('', 'Hello and welcome to our shop.'),
  modelMs: fc.integer({ min: 0, max: 1_500 }),
  transcriptMs: fc.integer({ min: 20, max: 900 }),
  probability: fc.constantFrom(0, 0.4, 1),
});

/** Maximum pause of the agent while the caller speaks over it. */
const MAX_HOLD_MS = 2_000;
/** Longer than any timeout of a call without input. */
const SETTLED_MS = 15_000;

/** The longest period in which the state was `speaking` without audio. */
function watchQuiet({ clock, transport }: ReturnType<typeof harness>) {
  let isSpeaking = false;
  let longestMs = 0;
  let quietMs = 0;
  let playedSamples = 0;
  const send = transport.send.bind(transport);
  transport.send = (event) => {
    if (event.type === 'state') isSpeaking = event.state === 'speaking';
    send(event);
  };
  let timer = clock.after(0, function look() {
    const isQuiet =
      isSpeaking && transport.played.length === playedSamples && !transport.isDisconnected;
    quietMs = isQuiet ? quietMs + 50 : 0;
    longestMs = Math.max(longestMs, quietMs);
    playedSamples = transport.played.length;
    timer = clock.after(50, look);
  });
  return {
    stop() {
      timer.cancel();
      return longestMs;
    },
  };
}

describe('any script of speech', () => {
  it('ends with the agent listening, accounts for every word and plays no sample twice', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (made) => {
        const call = harness({
          config: {
            minInterruptionWords: made.minInterruptionWords,
            allowInterruptions: made.allowInterruptions,
            greeting: made.greeting,
            userSilenceTimeoutMs: 0,
          },
          transcriptMs: made.transcriptMs,
          completeness: () => made.probability,
          reply: async function* ({ history }) {
            await sleep(call.clock, made.modelMs);
            yield `Here is a longer answer to what you said, which was this: ${history.at(-1)?.text}.`;
          },
        });
        call.call.connected();
        const quiet = watchQuiet(call);
        const wanted: string[] = [];
        let spoken = 0;
        for (const next of made.script) {
          const text = `w${++spoken}${' and so'.repeat('words' in next ? next.words - 1 : 0)}`;
          if (next.type === 'say') {
            await call.say(text, next.ms);
            // Shorter audio is not speech.
            if (next.ms >= 200) wanted.push(`w${spoken}`);
          } else if (next.type === 'type') {
            call.call.typed(text);
            wanted.push(`w${spoken}`);
          } else await call[next.type](next.ms);
        }
        await call.silence(SETTLED_MS);

        expect(quiet.stop()).toBeLessThanOrEqual(MAX_HOLD_MS);
        expect(call.states().at(-1)).toBe('listening');
        expect(call.ended()).toBeUndefined();
        expect(call.faults).toEqual([]);
        const { played: playedSamples } = call.transport;
        expect(playedSamples.every((sample, i) => i === 0 || sample > playedSamples[i - 1]!)).toBe(
          true,
        );

        const said = call.texts('user').join(' ');
        for (const word of wanted) expect(said.split(/\s/), said).toContain(word);
        // The conversation contains no text twice.
        const firsts = said.split(/\s/).filter((word) => word.startsWith('w'));
        expect(new Set(firsts).size).toBe(firsts.length);
        const last =
          call.requests
            .at(-1)
            ?.history.map(({ text }) => text)
            .join(' ') ?? '';
        for (const word of wanted) expect(last.split(/[\s.]/), last).toContain(word);

        call.call.hangUp('user_hangup');
        await call.clock.run(10_000);
        expect(call.clock.pending).toBe(0);
        expect(call.openSegments()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
