// Speaks a text into a WAV file and measures it: node dist/test/bench/speak.js "Good morning." out.wav
import { writeFileSync } from 'node:fs';
import { WavEncoder } from '../../media/codec/wav.js';
import { CpuPermits } from '../../media/inference/cpu-permits.js';
import { HibariVoice } from '../../media/inference/hibari-voice.js';
import { ENGLISH_VOICE } from '../support/english-reading.js';

const [text = 'Good morning everyone.', file = 'speech.wav', seed = '1'] = process.argv.slice(2);
const RUNS = 15;

const voice = new HibariVoice({ id: 'heart', folder: ENGLISH_VOICE, permits: new CpuPermits(1) });
await voice.warm();

async function speak() {
  const utterance = {
    text,
    language: 'en',
    temperature: 1,
    topP: 0.8,
    seed: Number(seed),
    speed: 1,
  };
  const signal = new AbortController().signal;
  const pieces: Float32Array[] = [];
  const start = performance.now();
  const cpu = process.cpuUsage();
  let firstMs = 0;
  for await (const { samples } of voice.speak(utterance, {
    signal,
    firstPriority: 'first-chunk',
  })) {
    firstMs ||= performance.now() - start;
    pieces.push(samples);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { pieces, firstMs, totalMs: performance.now() - start, cpuMs: (user + system) / 1000 };
}

const runs: Awaited<ReturnType<typeof speak>>[] = [];
for (let run = 0; run < RUNS; run++) runs.push(await speak());
await voice.close();

const encoder = new WavEncoder(voice.sampleRate);
const bytes: Uint8Array[] = [];
for (const piece of runs[0]!.pieces) encoder.push(piece, (part) => bytes.push(part.slice()));
encoder.flush((part) => bytes.push(part.slice()));
writeFileSync(file, Buffer.concat(bytes));

const { pieces } = runs[0]!;
const samples = pieces.flatMap((piece) => [...piece]);
const steps = samples.map((sample, i) => Math.abs(sample - (samples[i - 1] ?? 0)));
const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
const joins: number[] = [];
let at = 0;
for (const piece of pieces.slice(0, -1)) {
  at += piece.length;
  joins.push(steps[at]!);
}
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;
const seconds = samples.length / voice.sampleRate;
console.log(
  JSON.stringify({
    seconds,
    firstMs: median(runs.map((run) => run.firstMs)),
    realTimeFactor: median(runs.map((run) => run.totalMs)) / 1000 / seconds,
    cpuRealTimeFactor: median(runs.map((run) => run.cpuMs)) / 1000 / seconds,
    pieceMs: pieces.map((piece) => Math.round((piece.length * 1000) / voice.sampleRate)),
    rms: Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length),
    peak,
    largestStep: steps.reduce((most, step) => Math.max(most, step), 0),
    largestJoin: Math.max(0, ...joins),
    heardAfterMs:
      (samples.findIndex((sample) => Math.abs(sample) > 0.05 * peak) * 1000) / voice.sampleRate,
  }),
);
