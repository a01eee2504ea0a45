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
/** Each word has two chunks. */
const WORDS = 10;
const LISTENERS = 4;
const LONG_STREAMS = 6;

/**
 * Six readers consume long texts with long chunks as fast as possible; four listeners consume in
 * real time. In plain round-robin order, one round would take at least 6 × 50 ms, twice the
 * duration of a listener's chunk.
 */
it('listeners do not run out of audio while long texts are synthesised far ahead', async () => {
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
  const longStreams = Array.from({ length: LONG_STREAMS }, async () => {
    for await (const _ of stream(long, 2_000));
  });
  const ends = Promise.allSettled(longStreams);
  await expect.poll(() => long.jobs.length, { timeout: 30_000 }).toBeGreaterThan(LONG_STREAMS * 3);
  const before = long.jobs.length;
  const listening = Array.from({ length: LISTENERS }, () => underrunTimes(stream(short, WORDS)));
  const underrunsMs = (await Promise.all(listening)).flat();
  // The long texts use the remaining capacity.
  expect(long.jobs.length - before).toBeGreaterThan(LONG_STREAMS);
  stop.abort();
  await ends;
  await encoders.close();
  expect(underrunsMs.length).toBe(LISTENERS * (2 * WORDS - 1));
  // In plain order nearly all chunks would be late; a stalled machine delays some of them.
  const late = underrunsMs.filter((ms) => ms > CHUNK_MS / 4);
  expect(late.length).toBeLessThan(underrunsMs.length / 3);
});

/**
 * Consumes audio in real time. Returns how long playback was out of audio before each chunk but the
 * first, in ms.
 */
async function underrunTimes(chunks: AsyncGenerator<Uint8Array>): Promise<number[]> {
  const times: number[] = [];
  let playedUntil: number | undefined;
  for await (const chunk of chunks) {
    const now = performance.now();
    if (playedUntil !== undefined) times.push(Math.max(0, now - playedUntil));
    playedUntil = Math.max(playedUntil ?? now, now) + chunk.length / 16;
    // Requests the next chunk one chunk duration before it is needed.
    await sleep(Math.max(0, playedUntil - performance.now() - CHUNK_MS));
  }
  return times;
}
