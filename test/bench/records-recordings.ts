import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toInt16 } from '../../media/audio/pcm.js';
import { wavHeader } from '../../media/codec/wav.js';
import { LegReader } from '../../media/recording/leg-reader.js';
import { MixdownThread } from '../../media/recording/mixdown-thread.js';
import type { Leg } from '../../media/recording/spool-record.js';
import { type AudioChunk, SpoolWriter } from '../../media/recording/spool-writer.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { decodeChannels } from '../support/harness/audio/decode-audio.js';
import { toneOnsets } from '../support/harness/audio/tone-onsets.js';
import { runToneCall, type ToneTimes } from '../support/harness/call/tone-call.js';
import { prepareTool } from '../support/harness/process/required-tools.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';
import type { RecordsFigures, RecordsOptions } from './records-section.js';

const MINUTES = 30;
const DURATION_MS = MINUTES * 60_000;
const ROUNDS = 3;
const RATES = { caller: 16_000, agent: 24_000 };
/** Minimum speed relative to real time. */
const BAR_REAL_TIME = 50;
const BAR_PLACE_MS = 20;

/**
 * Mixes a 30-minute call down with the product and with ffmpeg, and checks the positions of its
 * tones as decoded by ffmpeg.
 */
export async function measure({ reportProgress }: RecordsOptions): Promise<RecordsFigures> {
  const ffmpeg = prepareTool('ffmpeg');
  const folder = makeTestFolder();
  const thread = new MixdownThread(new CpuScheduler(1));
  try {
    reportProgress(`records: ${MINUTES} minutes of tones on a line with noise`);
    const spoolPath = join(folder, 'call.spool');
    const outPath = join(folder, 'ours.mp3');
    const times = writeSpool(spoolPath);
    const wavs = writeWavs(spoolPath, folder);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      reportProgress(`records: merge ${round + 1} of ${ROUNDS}`);
      const options = { spoolPath, outPath, channels: 2, mp3Program: 'wasm' } as const;
      ours.push(await cpuMsOf(() => thread.mixDown(options)));
      theirs.push(mixWithFfmpeg(ffmpeg, wavs, join(folder, 'theirs.mp3')));
    }
    const worstMs = await worstPlace(ffmpeg, outPath, times);
    return report({ ours: median(ours), theirs: median(theirs), worstMs, spoolPath, outPath });
  } finally {
    await thread.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly ours: number;
  readonly theirs: number;
  readonly worstMs: number;
  readonly spoolPath: string;
  readonly outPath: string;
}

function report({ ours, theirs, worstMs, spoolPath, outPath }: Measured): RecordsFigures {
  const figures = {
    minutes: MINUTES,
    timesRealTime: DURATION_MS / ours,
    ffmpegTimesRealTime: DURATION_MS / theirs,
    ratio: theirs / ours,
    worstPlaceMs: worstMs,
    spoolBytesAMinute: Math.round(readFileSync(spoolPath).length / MINUTES),
    fileBytesAMinute: Math.round(readFileSync(outPath).length / MINUTES),
  };
  const isFast = figures.timesRealTime >= BAR_REAL_TIME;
  const isInPlace = worstMs <= BAR_PLACE_MS;
  return {
    isMet: isFast && isInPlace,
    lines: [
      `${verdict(isFast)} merge: ${figures.timesRealTime.toFixed(0)} times real time of a core (bar ${BAR_REAL_TIME}); ffmpeg on the same sound ${figures.ffmpegTimesRealTime.toFixed(0)}, ratio ${figures.ratio.toFixed(2)}`,
      `${verdict(isInPlace)} tones: at most ${worstMs.toFixed(1)} ms from their place (bar ${BAR_PLACE_MS})`,
      `spool ${(figures.spoolBytesAMinute / 1e6).toFixed(2)} MB a minute, file ${(figures.fileBytesAMinute / 1e6).toFixed(2)}`,
    ],
    figures,
  };
}

const verdict = (isMet: boolean) => (isMet ? 'met   ' : 'missed');

function writeSpool(path: string): ToneTimes {
  const writer = new SpoolWriter(path, RATES);
  const sink = {
    write: (chunks: readonly AudioChunk[]) => writer.append(chunks.map(withNoise)),
    end: (durationMs: number) => writer.close(durationMs),
  };
  return runToneCall({ sink, durationMs: DURATION_MS, everyMs: 5_000, drift: 50, jitterMs: 20 });
}

/** Adds noise, because a microphone is never completely silent. */
function withNoise(chunk: AudioChunk): AudioChunk {
  if (!(chunk.samples instanceof Int16Array)) return chunk;
  const samples = chunk.samples.map((sample) => sample + Math.round(800 * (Math.random() - 0.5)));
  return { ...chunk, samples };
}

/** Writes the legs as WAV files for ffmpeg. */
function writeWavs(spoolPath: string, folder: string): readonly string[] {
  return (['caller', 'agent'] as const).map((leg: Leg) => {
    const legReader = new LegReader(spoolPath, leg);
    const samples = new Float32Array((DURATION_MS * RATES[leg]) / 1000);
    legReader.read(samples);
    legReader.close();
    const pcm = new Int16Array(samples.length);
    toInt16(samples, pcm);
    const path = join(folder, `${leg}.wav`);
    const header = wavHeader(RATES[leg], 44 + pcm.byteLength);
    writeFileSync(path, Buffer.concat([header, Buffer.from(pcm.buffer)]));
    return path;
  });
}

/** @returns the CPU time reported by ffmpeg in milliseconds */
function mixWithFfmpeg(ffmpeg: string, wavs: readonly string[], outPath: string): number {
  const inputs = wavs.flatMap((path) => ['-i', path]);
  const join =
    '[0:a]aresample=24000[l];[1:a]aresample=24000[r];[l][r]join=inputs=2:channel_layout=stereo[out]';
  const encode = ['-map', '[out]', '-c:a', 'libmp3lame', '-b:a', '64k', '-ar', '24000', '-y'];
  // As many threads as the product uses.
  const alone = ['-nostdin', '-benchmark', '-threads', '1', '-filter_complex_threads', '1'];
  const args = [...alone, ...inputs, '-filter_complex', join, ...encode, outPath];
  const { status, stderr } = spawnSync(ffmpeg, args, { encoding: 'utf8' });
  const [, user, system] = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? [];
  if (status !== 0 || user === undefined) throw new Error(`ffmpeg ${status}: ${stderr}`);
  return 1000 * (Number(user) + Number(system));
}

async function worstPlace(ffmpeg: string, path: string, times: ToneTimes): Promise<number> {
  const format = { channels: 2, sampleRate: 24_000 };
  const [caller, agent] = await decodeChannels(ffmpeg, readFileSync(path), format);
  const found = [toneOnsets(caller!, 24_000), toneOnsets(agent!, 24_000)];
  const expected = [times.caller, times.agent];
  return Math.max(
    ...expected.flatMap((leg, i) => {
      if (found[i]!.length !== leg.length) return [Number.POSITIVE_INFINITY];
      return leg.map((ms, n) => Math.abs(found[i]![n]! - ms));
    }),
  );
}

/** CPU time of some work over all threads in milliseconds, independent of other load. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
