import { expect, it } from 'vitest';
import { Playout } from '../../../agents-runtime/output/playout.js';
import type { SpokenChunk } from '../../../agents-runtime/output/spoken-text-alignment.js';
import { SpeechHandle } from '../../../agents-runtime/session/speech-handle.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { VirtualClient, VOICE_RATE } from '../../support/fakes/virtual-client.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { rethrowing } from '../../support/harness/call/rethrowing-boundary.js';

const REQUEST = { text: 'when do you open', history: [], language: 'en' };

async function* oneSecond(): AsyncGenerator<SpokenChunk> {
  yield { text: 'We open at nine.', words: [], samples: new Float32Array(VOICE_RATE).fill(0.5) };
}

function setUp() {
  const clock = new VirtualClock();
  const transport = new VirtualClient(clock);
  const playout = new Playout({
    transport,
    clock,
    ticker: new FrameTicker(clock),
    boundary: rethrowing,
  });
  transport.onPlayed = (ms) => playout.played(ms);
  const events: string[] = [];
  const speech = new SpeechHandle({
    utterance: 1,
    request: REQUEST,
    clock,
    startedAt: 0,
    playout,
    listener: {
      started: () => events.push('started'),
      stalled: () => events.push('stalled'),
      text: (_, text) => events.push(`text ${text}`),
      audible: ({ latency }) => events.push(`audible after ${latency?.total} ms`),
      finished: (_, { text, cut }) => events.push(`finished ${cut} ${text}`),
    },
  });
  speech.generate(oneSecond());
  return { clock, transport, speech, events };
}

const ANSWERED = { turn: 1, timestamps: { speechEndAt: 0, dueAt: 500, committedAt: 500 } };

it('a speech handle stays silent until it is committed, then plays to its end', async () => {
  const { clock, transport, speech, events } = setUp();
  await clock.run(500);
  expect([speech.state, transport.played.length, events]).toEqual(['prepared', 0, []]);
  speech.commit(ANSWERED);
  expect(speech.state).toBe('playing');
  await clock.run(2_000);
  expect(speech.state).toBe('finished');
  expect(transport.played.length).toBe(VOICE_RATE);
  expect(events[0]).toBe('started');
  expect(events).toContainEqual(expect.stringMatching(/^audible after 5\d\d ms$/));
  expect(events.at(-1)).toBe('finished false We open at nine.');
});

it('a speech handle is interrupted once and returns the played part', async () => {
  const { clock, speech } = setUp();
  speech.commit();
  await clock.run(300);
  expect(speech.interrupt()).toMatchObject({ cut: true });
  expect([speech.state, speech.signal.aborted]).toEqual(['interrupted', true]);
  expect(speech.interrupt()).toBeUndefined();
});

it('a finished speech handle cannot be interrupted', async () => {
  const { clock, speech } = setUp();
  speech.commit();
  await clock.run(2_000);
  expect(speech.interrupt()).toBeUndefined();
  expect(speech.state).toBe('finished');
});

it('a discarded speech handle is never played', async () => {
  const { clock, transport, speech, events } = setUp();
  speech.discard();
  await clock.run(2_000);
  expect([speech.signal.aborted, transport.played.length, events]).toEqual([true, 0, []]);
});

it.each([
  [REQUEST, true],
  [{ ...REQUEST, text: 'when do you close' }, false],
  [{ ...REQUEST, language: 'de' }, false],
  [{ ...REQUEST, history: [{ role: 'user' as const, text: 'hello', cut: false }] }, false],
])('a speech handle matches only the same request: %j', (request, isSame) => {
  expect(setUp().speech.matches(request)).toBe(isSame);
});
