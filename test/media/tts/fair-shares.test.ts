import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { PlaybackDeadline } from '../../../media/tts/playback-deadline.js';
import { Synthesiser } from '../../../media/tts/synthesiser.js';
import { QueuedVoice } from '../../support/fakes/queued-voice.js';
import { plainText } from '../../support/fakes/tone-voice.js';

let encoders: EncoderThread;
let voice: QueuedVoice;
let synthesiser: Synthesiser;
beforeEach(() => {
  const scheduler = new CpuScheduler(1);
  encoders = new EncoderThread(scheduler);
  voice = new QueuedVoice({ scheduler, costMs: 1, chunkMs: 1_000 });
  synthesiser = new Synthesiser(encoders);
});
afterEach(() => encoders.close());

/** A text of `seconds` of audio whose jobs are listed under its name. */
function stream(name: string, seconds: number, signal = new AbortController().signal) {
  const request = plainText(Array.from({ length: seconds / 2 }, () => name).join(' '));
  return synthesiser.stream({ voice, format: AUDIO_FORMATS.get('pcm_8000')!, request }, signal);
}

async function readAll(chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

describe('streams that share a thread', () => {
  it('yield to those that would run out of audio first', async () => {
    const longs = Array.from({ length: 4 }, () => stream('long', 80));
    for (let i = 0; i < 20; i++) await Promise.all(longs.map((long) => long.next()));
    voice.jobs.length = 0;
    const all = longs.map(readAll);
    await Promise.all(['a', 'b'].map((name) => readAll(stream(name, 20))));
    // They are 20 s ahead: in turns they would have had twice as much as the two others.
    const long = voice.jobs.filter((name) => name === 'long').length;
    expect([voice.jobs.length - long, long < 20]).toEqual([40, true]);
    await Promise.all(all);
    expect(voice.jobs.filter((name) => name === 'long').length).toBeGreaterThan(200);
  });

  it('start before others continue', async () => {
    const olds = ['a', 'b', 'c', 'd'].map((name) => stream(name, 40));
    await Promise.all(olds.map((old) => old.next()));
    const all = olds.map(readAll);
    await expect.poll(() => voice.jobs.length, { interval: 1 }).toBeGreaterThan(16);
    voice.jobs.length = 0;
    await stream('new', 4).next();
    // One job was running, and one may have had its permit.
    expect(voice.jobs.indexOf('new')).toBeLessThan(3);
    await Promise.all(all);
  });

  it('advance evenly if they started together', async () => {
    const names = Array.from({ length: 32 }, (_, i) => `stream${i}`);
    await Promise.all(names.map((name) => readAll(stream(name, 10))));
    expect(voice.jobs.length).toBe(320);
    for (const name of names) {
      for (let second = 0; second < 10; second++) {
        const at = voice.jobs.flatMap((job, index) => (job === name ? [index] : []))[second]!;
        expect(Math.abs(at - 32 * second)).toBeLessThan(64);
      }
    }
  });

  it('stop within one job when they are aborted', async () => {
    const stop = new AbortController();
    const chunks = stream('gone', 100, stop.signal);
    const reading = readAll(chunks);
    await expect.poll(() => voice.jobs.length, { interval: 1 }).toBeGreaterThan(3);
    stop.abort();
    const { length } = voice.jobs;
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(voice.jobs.length).toBe(length);
    expect(encoders.openStreams).toBe(0);
  });
});

it('the playback deadline counts synthesised audio, and silence is no backlog', () => {
  const deadline = new PlaybackDeadline(1_000);
  expect(deadline.dueAt(1_000)).toBe(1_000);
  deadline.add(500);
  expect([deadline.dueAt(1_100), deadline.dueAt(1_400)]).toEqual([1_500, 1_500]);
  expect(deadline.dueAt(4_000)).toBe(4_000);
  deadline.add(500);
  expect(deadline.dueAt(4_100)).toBe(4_500);
});
