import { EncoderThread } from '../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { Dictionary } from '../../media/text/dictionary/dictionary.js';
import {
  firstAudioOf,
  machineNow,
  measure,
  median,
  numberBehind,
  printFigures,
  printVerdicts,
  realTimeFactorOf,
  TEXTS,
  toVerdict,
  type Verdict,
} from './comparison.js';
import { gatewaySpeaker, startGateway } from './gateway.js';
import { startPeers } from './peers.js';
import type { Speaker } from './speaker.js';

/** The voice of the peers, at its own sample rate: the peers do not resample either. */
const WITH = { voice: 'piper-joe', sampleRate: 22_050 };
const DEFAULT_ROUNDS = 10;
const CONCURRENCIES = [1, 4, 16] as const;
const CROWD_ROUNDS = 3;
/** The text for concurrent synthesis. */
const CROWD_TEXT = TEXTS[1];
/** One format of each codec. */
const FORMATS = ['pcm', 'wav', 'mp3', 'opus_48000_64', 'ulaw_8000', 'alaw_8000'];
const ENCODED_SECONDS = 10;
const ENCODER_ROUNDS = 5;
const ENCODER_INPUT_RATE = 24_000;
const RULES = 10_000;
const DICTIONARY_LIMIT_MS = 1;

/** Results for several concurrent texts. */
interface CrowdFigure {
  readonly speaker: string;
  readonly concurrency: number;
  readonly medianFirstAudioMs: number;
  readonly worstFirstAudioMs: number;
  readonly totalMs: number;
  /** Seconds of speech synthesised per second. */
  readonly throughput: number;
}

/**
 * Compares the same Piper voice in the gateway over HTTP and in two peers without HTTP, one thread
 * each. Also measures 1, 4 and 16 concurrent texts, the encoders' speed, and a large dictionary.
 * `--json` prints JSON, `--rounds N` sets the rounds.
 */
export async function run(args: readonly string[]): Promise<number> {
  const rounds = numberBehind(args, '--rounds', DEFAULT_ROUNDS);
  const peers = await startPeers();
  const speakers: Speaker[] = [...peers];
  try {
    speakers.unshift(gatewaySpeaker(await startGateway(), WITH));
    const measured = await measure(speakers, rounds);
    const { figures } = measured;
    const crowds: CrowdFigure[] = [];
    for (const concurrency of CONCURRENCIES)
      crowds.push(...(await crowdsOf(speakers, concurrency)));
    const encoders = await encoderSpeeds();
    const dictionaryMs = dictionaryTime();
    const first = (words: number, target: number): Verdict =>
      toVerdict({ name: `first audio, ${words} words`, words, target }, measured, firstAudioOf);
    const factor = { name: 'real-time factor', words: 40, target: 1.3 };
    const verdicts = [
      first(12, 0.4),
      first(40, 0.3),
      toVerdict(factor, measured, realTimeFactorOf),
    ];
    const isQuick = dictionaryMs < DICTIONARY_LIMIT_MS;
    const report = { machine: machineNow(), rounds, figures, crowds, encoders, dictionaryMs };
    if (args.includes('--json')) {
      console.log(JSON.stringify({ ...report, verdicts }, undefined, 2));
    } else {
      printFigures(figures);
      printRest(report);
      printVerdicts(verdicts);
    }
    return isQuick && verdicts.every(({ isMet }) => isMet) ? 0 : 1;
  } finally {
    await Promise.all(speakers.map((speaker) => speaker.close()));
  }
}

/** The median round of each speaker; the speakers alternate. */
async function crowdsOf(speakers: readonly Speaker[], concurrency: number): Promise<CrowdFigure[]> {
  const rounds: CrowdFigure[][] = speakers.map(() => []);
  for (let round = 0; round < CROWD_ROUNDS; round++) {
    for (const [i, speaker] of speakers.entries()) {
      rounds[i]!.push(await speakAtOnce(speaker, concurrency));
    }
  }
  return rounds.map((own) => {
    const sorted = own.sort((a, b) => a.totalMs - b.totalMs);
    return sorted[sorted.length >> 1]!;
  });
}

async function speakAtOnce(speaker: Speaker, concurrency: number): Promise<CrowdFigure> {
  const startedAt = performance.now();
  const spoken = await Promise.all(
    Array.from({ length: concurrency }, async () => {
      const { firstAudioMs, totalMs, audioSeconds } = await speaker.speak(CROWD_TEXT.text);
      // A peer speaks its texts in sequence and measures from the start of each: the wait is added.
      const waitedMs = performance.now() - startedAt - totalMs;
      return { firstAudioMs: Math.max(0, waitedMs) + firstAudioMs, audioSeconds };
    }),
  );
  const totalMs = performance.now() - startedAt;
  const seconds = spoken.reduce((sum, one) => sum + one.audioSeconds, 0);
  return {
    speaker: speaker.name,
    concurrency,
    medianFirstAudioMs: median(spoken.map((one) => one.firstAudioMs)),
    worstFirstAudioMs: Math.max(...spoken.map((one) => one.firstAudioMs)),
    totalMs,
    throughput: (seconds * 1000) / totalMs,
  };
}

/** Speed of each format relative to real time on the encoder thread: medians of the rounds. */
async function encoderSpeeds(): Promise<Readonly<Record<string, number>>> {
  const scheduler = new CpuScheduler(1);
  const wasm = new EncoderThread(scheduler);
  const lamejs = new EncoderThread(scheduler, { mp3Program: 'lamejs' });
  const speeds = new Map<string, number[]>();
  try {
    for (let round = -1; round < ENCODER_ROUNDS; round++) {
      for (const [name, encoders, format] of [
        ...FORMATS.map((format) => [format, wasm, format] as const),
        ['mp3 by lamejs', lamejs, 'mp3'] as const,
      ]) {
        const speed = await encoderSpeed(encoders, format);
        // The first round warms up.
        if (round >= 0) speeds.set(name, [...(speeds.get(name) ?? []), speed]);
      }
    }
    return Object.fromEntries([...speeds].map(([name, rounds]) => [name, median(rounds)]));
  } finally {
    await Promise.all([wasm.close(), lamejs.close()]);
  }
}

async function encoderSpeed(encoders: EncoderThread, format: string): Promise<number> {
  const second = oneSecond();
  const startedAt = performance.now();
  const stream = encoders.open({ format, inputRate: ENCODER_INPUT_RATE });
  const options = { priority: 'later-chunk', signal: new AbortController().signal } as const;
  for (let at = 0; at < ENCODED_SECONDS; at++) await stream.push(second, options);
  await stream.finish(options);
  return (ENCODED_SECONDS * 1000) / (performance.now() - startedAt);
}

/** A voice-like signal: a tone with harmonics. */
function oneSecond(): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: ENCODER_INPUT_RATE }, (_, i) => {
    const phase = (2 * Math.PI * 140 * i) / ENCODER_INPUT_RATE;
    return 0.2 * (Math.sin(phase) + Math.sin(3 * phase) / 2 + Math.sin(7 * phase) / 4);
  });
}

/** Time to apply 10,000 rules to 1,000 characters, in milliseconds. */
function dictionaryTime(): number {
  const dictionary = new Dictionary(
    Array.from({ length: RULES }, (_, i) => ({
      id: `r${i}`,
      word: `word${i} of rule`,
      replacement: `said ${i}`,
      ipa: null,
      caseSensitive: i % 2 === 0,
    })),
  );
  const text = `${'word77 of rule and some other words, word5 of Rule. '.repeat(25)}`.slice(
    0,
    1000,
  );
  const times = Array.from({ length: 200 }, () => {
    const startedAt = performance.now();
    dictionary.apply(text);
    return performance.now() - startedAt;
  });
  return median(times);
}

function printRest(report: {
  readonly crowds: readonly CrowdFigure[];
  readonly encoders: Readonly<Record<string, number>>;
  readonly dictionaryMs: number;
}): void {
  console.log('\nat once  speaker                 first audio (worst)        all   speech/s');
  for (const crowd of report.crowds) {
    const first = `${crowd.medianFirstAudioMs.toFixed(0)} ms`.padStart(11);
    const worst = `(${crowd.worstFirstAudioMs.toFixed(0)} ms)`.padStart(10);
    const all = `${crowd.totalMs.toFixed(0)} ms`.padStart(11);
    const count = String(crowd.concurrency).padStart(7);
    const speed = crowd.throughput.toFixed(1).padStart(9);
    console.log(`${count}  ${crowd.speaker.padEnd(22)} ${first} ${worst}${all} ${speed}`);
  }
  const speeds = Object.entries(report.encoders).map(([name, speed]) => {
    return `${name} ${speed.toFixed(0)} ×`;
  });
  console.log(`\nencoders, times real time: ${speeds.join(', ')}`);
  console.log(
    `dictionary of ${RULES} rules, 1,000 characters: ${report.dictionaryMs.toFixed(3)} ms`,
  );
}
