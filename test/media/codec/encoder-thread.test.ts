import { afterAll, describe, expect, it } from 'vitest';
import { Resampler } from '../../../media/audio/resampler.js';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { type EncodedStream, EncoderThread } from '../../../media/codec/encoder-thread.js';
import { MediaError } from '../../../media/errors.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { cut, runBytes, runSamples } from '../../support/harness/audio/run-stage.js';
import { tone } from '../../support/harness/audio/tones.js';

const scheduler = new CpuScheduler(1);
const thread = new EncoderThread(scheduler);
const options = { priority: 'first-chunk', signal: new AbortController().signal } as const;

async function encodeAll(stream: EncodedStream, chunks: readonly Float32Array[]): Promise<Buffer> {
  const outputs: Uint8Array[] = [];
  for (const chunk of chunks) outputs.push(await stream.push(chunk, options));
  outputs.push(await stream.finish(options));
  return Buffer.concat(outputs);
}

afterAll(() => thread.close());

describe('EncoderThread', () => {
  const samples = tone(440, 24000, 30001);

  it('gives the same result as resampler and encoder directly, for parallel streams', async () => {
    const names = ['mp3', 'wav', 'opus_48000_32', 'mp3_44100_32', 'opus_48000_64'];
    const found = await Promise.all(
      names.map((format) =>
        encodeAll(thread.open({ format, inputRate: 24000 }), cut(samples, [5000, 700])),
      ),
    );
    for (const [i, name] of names.entries()) {
      const format = AUDIO_FORMATS.get(name)!;
      const resampled = runSamples(new Resampler(24000, format.sampleRate), [samples]);
      expect(found[i]!.equals(runBytes(await format.createEncoder(), [resampled]))).toBe(true);
    }
    expect([thread.openStreams, scheduler.busy]).toEqual([0, 0]);
  });

  it('copies the samples', async () => {
    const stream = thread.open({ format: 'pcm', inputRate: 24000 });
    const own = samples.slice();
    await stream.push(own, options);
    stream.cancel();
    expect(own).toEqual(samples);
  });

  it('removes a cancelled stream in any state', async () => {
    const early = thread.open({ format: 'mp3', inputRate: 24000 });
    early.cancel();
    const late = thread.open({ format: 'mp3', inputRate: 24000 });
    await late.push(samples, options);
    late.cancel();
    late.cancel();
    expect(thread.openStreams).toBe(0);
    await expect(late.push(samples, options)).rejects.toThrow(MediaError);
  });

  it('does not start a job whose signal is aborted while it waits for a permit', async () => {
    const abort = new AbortController();
    let release: (() => void) | undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const blockingJob = scheduler.use('first-chunk', () => until);
    const stream = thread.open({ format: 'mp3', inputRate: 24000 });
    const waiting = stream.push(samples, { priority: 'later-chunk', signal: abort.signal });
    expect(scheduler.waiting('later-chunk')).toBe(1);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    stream.cancel();
    release?.();
    await blockingJob;
    expect([scheduler.waiting('later-chunk'), scheduler.busy]).toEqual([0, 0]);
  });

  it('rejects unknown formats and rates', async () => {
    const odd = thread.open({ format: 'flac', inputRate: 24000 });
    await expect(odd.push(samples, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    odd.cancel();
    const strange = thread.open({ format: 'pcm', inputRate: 12345.6 });
    await expect(strange.push(samples, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    strange.cancel();
  });
});
