import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { concat } from '../../../media/audio/pcm.js';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../media/stt/moonshine-speech-to-text.js';
import { HibariVoice } from '../../../media/tts/hibari/hibari-voice.js';
import { plainText } from '../../support/fakes/tone-voice.js';
import { decodeWithFfmpeg } from '../../support/harness/audio/decode-audio.js';
import { wordErrors } from '../../support/harness/audio/word-errors.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';
import { describeWith } from '../../support/harness/process/required-tools.js';
import { clickAt } from './click-detector.js';

const run = promisify(execFile);
const TEXTS = {
  short: 'Good morning.',
  long:
    'Our office opens at nine in the morning and closes at six. You can reach us by phone on ' +
    'every day but Sunday. Please have your order number at hand when you call.',
};
/** Input options of each reader for formats without a header. */
const HEADERLESS: Readonly<Record<string, { ffmpeg: string; sox: readonly string[] }>> = {
  'audio/pcm': { ffmpeg: 's16le', sox: ['-t', 's16'] },
  'audio/basic': { ffmpeg: 'mulaw', sox: ['-t', 'ul'] },
  'audio/x-alaw-basic': { ffmpeg: 'alaw', sox: ['-t', 'al'] },
};
const CODECS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/wav': 'pcm_s16le',
  'audio/pcm': 'pcm_s16le',
  'audio/basic': 'pcm_mulaw',
  'audio/x-alaw-basic': 'pcm_alaw',
  'audio/ogg; codecs=opus': 'opus',
};
/** LAME's delay of 576 samples and the decoder's delay of 529. */
const MP3_DELAY = 1105;
const MAX_WORD_ERRORS = 0.15;

const scheduler = new CpuScheduler(2);
const voice = new HibariVoice({ id: 'heart', folder: modelFolder('hibari-heart'), scheduler });
const encoders = new EncoderThread(scheduler);
const recogniser = new MoonshineSpeechToText({
  id: 'moonshine-tiny-en',
  folder: modelFolder('moonshine-tiny-en'),
  scheduler,
});
const spoken = new Map<string, readonly Float32Array[]>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-formats-'));
  for (const text of Object.values(TEXTS)) {
    const chunks: Float32Array[] = [];
    const options = { signal: new AbortController().signal, firstPriority: 'first-chunk' } as const;
    for await (const { samples } of voice.speak(plainText(text), options)) chunks.push(samples);
    spoken.set(text, chunks);
  }
});
afterAll(async () => {
  await Promise.all([voice, encoders, recogniser].map((part) => part.close()));
  await rm(folder, { recursive: true, force: true });
});

/** A text as the product encodes it: chunk by chunk, as the voice emits them. */
async function fileOf(format: string, text: string): Promise<Buffer> {
  const options = { priority: 'later-chunk', signal: new AbortController().signal } as const;
  const stream = encoders.open({ format, inputRate: voice.sampleRate });
  const outputs: Uint8Array[] = [];
  for (const chunk of spoken.get(text)!) outputs.push(await stream.push(chunk, options));
  outputs.push(await stream.finish(options));
  return Buffer.concat(outputs);
}

/** Positions where the voice's chunks meet, in samples. */
function joinsOf(text: string, sampleRate: number): number[] {
  let at = 0;
  const ends = spoken.get(text)!.map((chunk) => {
    at += chunk.length;
    return Math.round((at * sampleRate) / voice.sampleRate);
  });
  return ends.slice(0, -1);
}

function lengthOf(text: string, sampleRate: number): number {
  const length = spoken.get(text)!.reduce((sum, chunk) => sum + chunk.length, 0);
  return Math.round((length * sampleRate) / voice.sampleRate);
}

describeWith(['ffmpeg', 'ffprobe', 'sox', 'opusinfo'], 'encoded speech', (tools) => {
  const cases = [...AUDIO_FORMATS.values()].flatMap((format) =>
    (['short', 'long'] as const).map((size) => ({ ...format, size, text: TEXTS[size] })),
  );

  it.each(cases)('in $name has the duration and the audio of the text, $size', async (format) => {
    const { name, contentType, sampleRate, size, text } = format;
    const file = await fileOf(name, text);
    const path = join(folder, `${name}-${size}`);
    await writeFile(path, file);
    const raw = HEADERLESS[contentType];
    const input = raw ? ['-f', raw.ffmpeg, '-ar', String(sampleRate), '-ac', '1'] : [];
    const [found, decoded] = await Promise.all([
      probe(tools.ffprobe, [...input, path]),
      decodeWithFfmpeg(tools.ffmpeg, file, { input, sampleRate }),
    ]);
    expect(found).toMatchObject({
      codec_name: CODECS[contentType],
      sample_rate: String(sampleRate),
      channels: 1,
    });
    const length = lengthOf(text, sampleRate);
    const extra = decoded.length - length;
    const bitsPerSecond = (file.length * 8 * sampleRate) / length;
    const kilobits = name === 'mp3' ? 128 : Number(/_(\d+)$/.exec(name)?.[1]);
    if (contentType === 'audio/mpeg') {
      expect([extra > 0, extra <= 2304]).toEqual([true, true]);
      expect(found.bit_rate).toBe(String(kilobits * 1000));
      // The number of frames matches the rate: none is missing or duplicated.
      const frames = decoded.length / (sampleRate < 32_000 ? 576 : 1152);
      expect(Math.round(frames) - frames).toBeCloseTo(0, 5);
    } else {
      expect(extra).toBe(0);
      const soxArgs = raw ? [...raw.sox, '-r', String(sampleRate), '-c', '1', path] : [path];
      if (raw || contentType === 'audio/wav') {
        expect(await soxLength(tools.sox, soxArgs)).toBe(length);
      }
    }
    if (contentType.startsWith('audio/ogg')) {
      // The bit rate is an average target; headers and short pages add to it.
      const share = bitsPerSecond / (kilobits * 1000);
      expect([share < 1.15, size === 'short' || share > 0.85]).toEqual([true, true]);
      await expectValidOpus(tools.opusinfo, path, length / sampleRate);
    }
    const aligned = contentType === 'audio/mpeg' ? decoded.subarray(MP3_DELAY) : decoded;
    const { most, natural } = clicks(aligned, joinsOf(text, sampleRate), sampleRate);
    expect(most).toBeLessThanOrEqual(natural);
  });

  it('with a click at a join is detected', async () => {
    const chunks = spoken.get(TEXTS.long)!;
    const cut = concat(
      Float32Array,
      chunks.map((chunk, i) => (i === 0 ? chunk : chunk.subarray(40))),
    );
    let at = 0;
    const joins = chunks.slice(0, -1).map((chunk, i) => {
      at += i === 0 ? chunk.length : chunk.length - 40;
      return at;
    });
    const { most, natural } = clicks(cut, joins, voice.sampleRate);
    expect(most).toBeGreaterThan(natural);
  });

  it.each(['mp3', 'opus_48000_32', 'ulaw_8000'])('in %s is transcribed correctly', async (name) => {
    const { contentType, sampleRate } = AUDIO_FORMATS.get(name)!;
    const raw = HEADERLESS[contentType];
    const input = raw ? ['-f', raw.ffmpeg, '-ar', String(sampleRate), '-ac', '1'] : [];
    const file = await fileOf(name, TEXTS.long);
    const samples = await decodeWithFfmpeg(tools.ffmpeg, file, { input, sampleRate: 16_000 });
    const { text: transcript } = await recogniser.transcribe(samples.subarray(0, 192_000), {
      priority: 'final-transcript',
    });
    const { errors, words } = wordErrors(TEXTS.long, transcript);
    expect(errors / words, transcript).toBeLessThanOrEqual(MAX_WORD_ERRORS);
  });
});

/** The worst join, and the 99.9th percentile of all other positions. */
function clicks(samples: Float32Array, joins: readonly number[], sampleRate: number) {
  const step = Math.round(sampleRate / 1000);
  const otherPositions: number[] = [];
  for (let at = 20 * step; at < samples.length - 20 * step; at += step) {
    if (joins.every((place) => Math.abs(place - at) > 3 * step)) {
      otherPositions.push(clickAt(samples, at, sampleRate));
    }
  }
  otherPositions.sort((a, b) => a - b);
  return {
    most: Math.max(0, ...joins.map((at) => clickAt(samples, at, sampleRate))),
    natural: otherPositions[Math.floor(otherPositions.length * 0.999)]!,
  };
}

async function probe(ffprobe: string, input: readonly string[]) {
  const shown = ['-v', 'error', '-of', 'json', '-show_streams'];
  const { stdout, stderr } = await run(ffprobe, [...shown, ...input]);
  expect(stderr).toBe('');
  const { streams } = JSON.parse(stdout) as { streams: Record<string, unknown>[] };
  expect(streams.length).toBe(1);
  return streams[0]!;
}

/** Number of samples as read by sox. */
async function soxLength(sox: string, input: readonly string[]): Promise<number> {
  const { stdout } = await run(sox, ['--ignore-length', ...input, '-t', 's16', '-'], {
    encoding: 'buffer',
    maxBuffer: 16 * 1_048_576,
  });
  return stdout.length / 2;
}

async function expectValidOpus(opusinfo: string, path: string, seconds: number): Promise<void> {
  const { stdout, stderr } = await run(opusinfo, [path]);
  expect(`${stdout}${stderr}`).not.toMatch(/warning|error|invalid/i);
  expect(stdout).toMatch(/Pre-skip: 312/);
  const [, minutes, rest] = /Playback length: (\d+)m:([\d.]+)s/.exec(stdout) ?? [];
  expect(Math.abs(Number(minutes) * 60 + Number(rest) - seconds)).toBeLessThan(0.002);
}
