import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Mixdown } from '../../../media/recording/mixdown.js';
import { SpoolReader, samplesOf, summariseSpool } from '../../../media/recording/spool-reader.js';
import { makeTestFolder } from '../harness/process/test-folder.js';
import { CHUNK_MS, sampleAt } from './spool-audio.js';

const WRITER_PROGRAM = fileURLToPath(new URL('./spool-writer-program.js', import.meta.url));
/** Chunks written before the kill, which follows within `KILL_WITHIN_MS` milliseconds. */
const MIN_CHUNKS = 3;
const KILL_WITHIN_MS = 150;

/**
 * Kills a process while it records. All acknowledged audio must be in the file, every record must
 * be intact, and the recording must be mixed down.
 * @returns the acknowledged duration in milliseconds
 * @throws if a check fails
 */
export async function killRecording(): Promise<number> {
  const folder = makeTestFolder();
  const path = join(folder, 'call.spool');
  try {
    const acknowledgedMs = await writeAndKill(path);
    const audioMs = checkAudio(path);
    if (audioMs < acknowledgedMs) {
      throw new Error(`${acknowledgedMs} ms were acknowledged, ${audioMs} ms are in the file`);
    }
    await checkMixdown(path, join(folder, 'call.mp3'));
    return acknowledgedMs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeAndKill(path: string): Promise<number> {
  const child = spawn(process.execPath, [WRITER_PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(child, 'close');
  while (printed.split('\n').length <= MIN_CHUNKS && child.exitCode === null) await sleep(5);
  await sleep(randomInt(KILL_WITHIN_MS));
  child.kill('SIGKILL');
  await ended;
  const lines = printed.split('\n').slice(0, -1).map(Number);
  if (lines.length < MIN_CHUNKS) throw new Error('The process exited before the kill');
  return lines.at(-1)!;
}

/** @returns the end of the audio that both legs have, in milliseconds */
function checkAudio(path: string): number {
  const reader = new SpoolReader(path);
  const ends = { caller: 0, agent: 0 };
  for (let record = reader.next(); record; record = reader.next()) {
    const { kind, at } = record;
    if (kind !== 'caller' && kind !== 'agent') continue;
    if (at !== ends[kind]) throw new Error(`A chunk of the ${kind} has a wrong position`);
    samplesOf(record).forEach((sample, i) => {
      if (sample !== sampleAt(kind, at + i))
        throw new Error(`The audio of the ${kind} differs from what was written`);
    });
    ends[kind] += record.count;
  }
  reader.close();
  const torn = reader.damagedBytes;
  if (torn > statSync(path).size / MIN_CHUNKS) throw new Error(`${torn} bytes are torn`);
  return Math.min(ends.caller / 16, ends.agent / 24);
}

async function checkMixdown(spoolPath: string, outPath: string): Promise<void> {
  const { durationMs } = summariseSpool(spoolPath);
  const mixdown = await Mixdown.open({ spoolPath, outPath, channels: 2, mp3Program: 'wasm' });
  while (!mixdown.step(1_000));
  mixdown.close();
  // The bit rate is 64 kbit/s.
  if (statSync(outPath).size < (durationMs - CHUNK_MS) * 8)
    throw new Error('The file is too short');
}
