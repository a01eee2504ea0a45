import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AUDIO_FORMATS } from '../../media/codec/audio-formats.js';
import { EncoderThread } from '../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { Synthesiser } from '../../media/tts/synthesiser.js';
import { QueuedVoice } from '../support/fakes/queued-voice.js';
import { plainText } from '../support/fakes/tone-voice.js';

const CHUNK_MS = 160;
/** Two chunks each. */
const WORDS = 10;
const LISTENERS = 4;
const GREEDY = 6;

/**
 * Six readers take all they can get of long texts, in long chunks; four listen in real time. If all had
 * their turn one after the other, a round would take 6 × 50 ms and more, twice what a chunk lasts.
 */
it('never lets listeners run dry behind long texts that are far ahead', async () => {
  const scheduler = new CpuScheduler(1);
  const encoders = new EncoderThread(scheduler);
  const synthesiser = new Synthesiser(encoders);
  const long = new QueuedVoice({ scheduler, costMs: 50, chunkMs: 4_000 });
  const short = new QueuedVoice({ scheduler, costMs: 8, chunkMs: CHUNK_MS });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const stream = (voice: QueuedVoice, words: number) => {
    const request = plainText('word '.repeat(words).trim());
    return synthesiser.stream(
      { voice, format: AUDIO_FORMATS.get('pcm_8000')!, request },
      stop.signal,
    );
  };
  const greedy = Array.from({ length: GREEDY }, async () => {
    for await (const _ of stream(long, 2_000));
  });
  const ends = Promise.allSettled(greedy);
  await expect.poll(() => long.jobs.length, { timeout: 30_000 }).toBeGreaterThan(GREEDY * 3);
  const before = long.jobs.length;
  const listening = Array.from({ length: LISTENERS }, () => dryTimes(stream(short, WORDS)));
  const dryMs = (await Promise.all(listening)).flat();
  // They are not alone: the long ones use what they leave.
  expect(long.jobs.length - before).toBeGreaterThan(GREEDY);
  stop.abort();
  await ends;
  await encoders.close();
  expect(dryMs.length).toBe(LISTENERS * (2 * WORDS - 1));
  // Behind the others nearly each would be late; a machine that stands still makes some of them so.
  const late = dryMs.filter((ms) => ms > CHUNK_MS / 4);
  expect(late.length).toBeLessThan(dryMs.length / 3);
});

/** Listens in real time; for each chunk after the first, how long there was nothing to hear, ms. */
async function dryTimes(pieces: AsyncGenerator<Uint8Array>): Promise<number[]> {
  const times: number[] = [];
  let heardAt: number | undefined;
  for await (const piece of pieces) {
    const now = performance.now();
    if (heardAt !== undefined) times.push(Math.max(0, now - heardAt));
    heardAt = Math.max(heardAt ?? now, now) + piece.length / 16;
    // Takes the next piece a chunk before it is needed.
    await sleep(Math.max(0, heardAt - performance.now() - CHUNK_MS));
  }
  return times;
}
