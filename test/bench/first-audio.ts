import { cpus, loadavg } from 'node:os';
import { gatewaySpeaker, startGateway } from './gateway.js';
import { startPeers } from './peers.js';
import type { Speaker, Spoken } from './speaker.js';

/** The texts of every run, and how much of the better peer's time we may take to the first audio. */
const TEXTS = [
  { words: 3, target: 0.4, text: 'Good morning everyone.' },
  {
    words: 12,
    target: 0.2,
    text: 'Our office opens at nine in the morning and closes at six.',
  },
  {
    words: 40,
    target: 0.15,
    text: 'Thank you for calling us today, my name is Joe and I will do my best to answer every question that you may have about our opening hours, our prices, our addresses, and the orders that you have placed with us.',
  },
] as const;
const FACTOR_TARGET = 0.5;
const FACTOR_WORDS = 40;
const WARM_UP_ROUNDS = 2;
const DEFAULT_ROUNDS = 15;

interface Figure {
  readonly speaker: string;
  readonly words: number;
  readonly firstAudioMs: number;
  readonly totalMs: number;
  readonly audioSeconds: number;
  readonly realTimeFactor: number;
}

interface Verdict {
  readonly name: string;
  readonly ratio: number;
  readonly target: number;
  readonly isMet: boolean;
}

/**
 * Time to the first audio and real-time factor of our gateway, over HTTP, beside two peers that run
 * in processes of their own without HTTP; one thread each, rounds interleaved, medians.
 * `--json` prints JSON, `--rounds N` sets the rounds, `--peers-only` leaves our gateway out.
 */
export async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--rounds');
  const rounds = at >= 0 ? Math.max(1, Number(args[at + 1]) || 1) : DEFAULT_ROUNDS;
  const speakers: Speaker[] = [...(await startPeers())];
  try {
    if (!args.includes('--peers-only')) speakers.unshift(gatewaySpeaker(await startGateway()));
    const figures = await measure(speakers, rounds);
    const verdicts = judge(figures);
    const load = loadavg()[0] ?? 0;
    const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, load };
    if (args.includes('--json')) {
      console.log(JSON.stringify({ machine, rounds, figures, verdicts }, undefined, 2));
    } else {
      print(figures, verdicts, `${machine.cpu}, ${machine.cores} cores, load ${load.toFixed(1)}`);
    }
    return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
  } finally {
    await Promise.all(speakers.map((speaker) => speaker.close()));
  }
}

async function measure(speakers: readonly Speaker[], rounds: number): Promise<readonly Figure[]> {
  const runs = new Map<string, Spoken[]>();
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const { words, text } of TEXTS) {
      for (const speaker of speakers) {
        const spoken = await speaker.speak(text);
        if (round < 0) continue;
        const key = `${speaker.name} ${words}`;
        runs.set(key, [...(runs.get(key) ?? []), spoken]);
      }
    }
  }
  return TEXTS.flatMap(({ words }) =>
    speakers.map(({ name }) => toFigure(name, words, runs.get(`${name} ${words}`) ?? [])),
  );
}

function toFigure(speaker: string, words: number, runs: readonly Spoken[]): Figure {
  return {
    speaker,
    words,
    firstAudioMs: median(runs.map((spoken) => spoken.firstAudioMs)),
    totalMs: median(runs.map((spoken) => spoken.totalMs)),
    audioSeconds: median(runs.map((spoken) => spoken.audioSeconds)),
    realTimeFactor: median(runs.map((spoken) => spoken.totalMs / 1000 / spoken.audioSeconds)),
  };
}

function judge(figures: readonly Figure[]): readonly Verdict[] {
  if (!figures.some(({ speaker }) => speaker === 'parley')) return [];
  const first = TEXTS.map(({ words, target }) =>
    toVerdict(
      `first audio, ${words} words`,
      target,
      figures.filter((figure) => figure.words === words),
      (figure) => figure.firstAudioMs,
    ),
  );
  const long = figures.filter((figure) => figure.words === FACTOR_WORDS);
  return [
    ...first,
    toVerdict('real-time factor', FACTOR_TARGET, long, (figure) => figure.realTimeFactor),
  ];
}

/** Our figure as a share of the better peer's. */
function toVerdict(
  name: string,
  target: number,
  figures: readonly Figure[],
  figureOf: (figure: Figure) => number,
): Verdict {
  const ours = figures.filter(({ speaker }) => speaker === 'parley').map(figureOf);
  const peers = figures.filter(({ speaker }) => speaker !== 'parley').map(figureOf);
  const ratio = Math.min(...ours) / Math.min(...peers);
  return { name, ratio, target, isMet: ratio <= target };
}

function print(figures: readonly Figure[], verdicts: readonly Verdict[], machine: string): void {
  console.log(`${machine}; parley over HTTP on the loopback, the others in process\n`);
  console.log('words  speaker                    first audio      whole   audio   RTF');
  for (const figure of figures) {
    const first = `${figure.firstAudioMs.toFixed(1)} ms`.padStart(12);
    const whole = `${figure.totalMs.toFixed(1)} ms`.padStart(11);
    const audio = `${figure.audioSeconds.toFixed(2)} s`.padStart(8);
    const factor = figure.realTimeFactor.toFixed(3);
    const words = String(figure.words).padStart(5);
    console.log(`${words}  ${figure.speaker.padEnd(25)} ${first}${whole}${audio}  ${factor}`);
  }
  console.log('');
  for (const { name, ratio, target, isMet } of verdicts) {
    const share = `${ratio.toFixed(3)} × the better peer`;
    console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${share} (target ≤ ${target} ×)`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
