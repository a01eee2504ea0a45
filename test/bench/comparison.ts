import { cpus, loadavg } from 'node:os';
import type { Speaker, Spoken } from './speaker.js';

/** The texts of every run. */
export const TEXTS = [
  { words: 3, text: 'Good morning everyone.' },
  { words: 12, text: 'Our office opens at nine in the morning and closes at six.' },
  {
    words: 40,
    text: 'Thank you for calling us today, my name is Joe and I will do my best to answer every question that you may have about our opening hours, our prices, our addresses, and the orders that you have placed with us.',
  },
] as const;

/** The name of Parley's results. */
const OURS = 'parley';
const WARM_UP_ROUNDS = 2;

/** Medians of one speaker and text. */
export interface Figure {
  readonly speaker: string;
  readonly words: number;
  readonly firstAudioMs: number;
  readonly totalMs: number;
  readonly audioSeconds: number;
  readonly realTimeFactor: number;
}

/** All results. Runs are grouped by speaker and words, in the order of the rounds. */
export interface Comparison {
  readonly figures: readonly Figure[];
  readonly runs: ReadonlyMap<string, readonly Spoken[]>;
}

/** Parley's result relative to the best peer's, and whether it meets the target. */
export interface Verdict {
  readonly name: string;
  /**
   * Median of the rounds' ratios. In a round both sides run in direct succession, so that other
   * load affects both.
   */
  readonly ratio: number;
  /** First and third quartile of the ratios. */
  readonly quartiles: readonly [number, number];
  readonly target: number;
  readonly isMet: boolean;
}

/** The value of a flag, for example `--rounds 5`, or the default. */
export function numberBehind(args: readonly string[], flag: string, usual: number): number {
  const at = args.indexOf(flag);
  return at >= 0 ? Math.max(1, Number(args[at + 1]) || 1) : usual;
}

/** Description of the machine. */
export function machineNow() {
  return { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, load: loadavg()[0] ?? 0 };
}

export const firstAudioOf = ({ firstAudioMs }: Spoken): number => firstAudioMs;
export const realTimeFactorOf = ({ totalMs, audioSeconds }: Spoken): number =>
  totalMs / 1000 / audioSeconds;

/** Speaks all texts with all speakers, one at a time. The first speaker changes every round. */
export async function measure(speakers: readonly Speaker[], rounds: number): Promise<Comparison> {
  const runs = new Map<string, Spoken[]>();
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const { words, text } of TEXTS) {
      for (let turn = 0; turn < speakers.length; turn++) {
        const speaker = speakers[(turn + round + WARM_UP_ROUNDS) % speakers.length]!;
        const spoken = await speaker.speak(text);
        if (round < 0) continue;
        const key = keyOf(speaker.name, words);
        runs.set(key, [...(runs.get(key) ?? []), spoken]);
      }
    }
  }
  const figures = TEXTS.flatMap(({ words }) =>
    speakers.map(({ name }) => toFigure(name, words, runs.get(keyOf(name, words)) ?? [])),
  );
  return { figures, runs };
}

function keyOf(speaker: string, words: number): string {
  return `${speaker} ${words}`;
}

function toFigure(speaker: string, words: number, runs: readonly Spoken[]): Figure {
  return {
    speaker,
    words,
    firstAudioMs: median(runs.map((spoken) => spoken.firstAudioMs)),
    totalMs: median(runs.map((spoken) => spoken.totalMs)),
    audioSeconds: median(runs.map((spoken) => spoken.audioSeconds)),
    realTimeFactor: median(runs.map(realTimeFactorOf)),
  };
}

/** Parley's runs of a text compared with those of the best peer. */
export function toVerdict(
  { name, words, target }: { name: string; words: number; target: number },
  { figures, runs }: Comparison,
  measureOf: (spoken: Spoken) => number,
): Verdict {
  const valuesOf = (speaker: string) => (runs.get(keyOf(speaker, words)) ?? []).map(measureOf);
  const peers = figures
    .filter((figure) => figure.words === words && figure.speaker !== OURS)
    .map(({ speaker }) => valuesOf(speaker))
    .sort((a, b) => median(a) - median(b));
  const ratios = valuesOf(OURS).map((value, round) => value / (peers[0]?.[round] ?? Number.NaN));
  const ratio = median(ratios);
  const quartiles = [quantile(ratios, 0.25), quantile(ratios, 0.75)] as const;
  return { name, ratio, quartiles, target, isMet: ratio <= target };
}

export function printFigures(figures: readonly Figure[]): void {
  const { cpu, cores, load } = machineNow();
  console.log(`${cpu}, ${cores} cores, load ${load.toFixed(1)}`);
  console.log('parley over HTTP on the loopback, the others in process\n');
  console.log('words  speaker                    first audio      whole   audio   RTF');
  for (const figure of figures) {
    const first = `${figure.firstAudioMs.toFixed(1)} ms`.padStart(12);
    const whole = `${figure.totalMs.toFixed(1)} ms`.padStart(11);
    const audio = `${figure.audioSeconds.toFixed(2)} s`.padStart(8);
    const factor = figure.realTimeFactor.toFixed(3);
    const words = String(figure.words).padStart(5);
    console.log(`${words}  ${figure.speaker.padEnd(25)} ${first}${whole}${audio}  ${factor}`);
  }
}

export function printVerdicts(verdicts: readonly Verdict[]): void {
  console.log('');
  for (const { name, ratio, quartiles, target, isMet } of verdicts) {
    const [low, high] = quartiles.map((value) => value.toFixed(3));
    const share = `${ratio.toFixed(3)} × the better peer (half of the rounds ${low}–${high})`;
    console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${share}, target ≤ ${target} ×`);
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Nearest-rank quantile. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
