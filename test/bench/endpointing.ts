import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { EVALUATION_TURNS, TUNING_TURNS } from '../support/corpora/spoken-turns.js';
import { baseline } from '../support/harness/endpointing/baselines.js';
import {
  type EndpointingSettings,
  type Outcome,
  runTake,
} from '../support/harness/endpointing/endpointing-call.js';
import { RealSpeechModels } from '../support/harness/endpointing/real-models.js';
import { type Take, takeOf, withNoise } from '../support/harness/endpointing/takes.js';
import {
  type EndpointingSummary,
  isCutOff,
  summarise,
} from '../support/harness/endpointing/tally.js';
import { machineNow } from './comparison.js';
import { openCallers } from './endpointing-callers.js';

/** Level of the speech relative to the noise in dB; undefined: no noise. */
const NOISES = [undefined, 20, 10, 5] as const;
const DEFAULTS: EndpointingSettings = {
  minSilenceMs: 550,
  minEndpointingMs: 500,
  maxEndpointingMs: 3000,
};
const QUICK: EndpointingSettings = {
  minSilenceMs: 300,
  minEndpointingMs: 300,
  maxEndpointingMs: 2000,
};
const PATIENT: EndpointingSettings = {
  minSilenceMs: 550,
  minEndpointingMs: 800,
  maxEndpointingMs: 4000,
};

/** Targets for the defaults: at most one of 15 turns is cut off. */
const MAX_CUT_OFF = 1 / 15;
const P50_MS = 640;
const P95_MS = 1200;

type Rule = 'parley' | 'turn-model' | 'vad';
interface Row {
  readonly name: string;
  readonly rule: Rule;
  readonly settings: EndpointingSettings;
}

const ROWS: readonly Row[] = [
  { name: 'parley, defaults', rule: 'parley', settings: DEFAULTS },
  { name: 'parley, quick', rule: 'parley', settings: QUICK },
  { name: 'parley, patient', rule: 'parley', settings: PATIENT },
  { name: 'turn model alone, defaults', rule: 'turn-model', settings: DEFAULTS },
  { name: 'plain VAD, defaults', rule: 'vad', settings: DEFAULTS },
];

interface EndpointingRun {
  readonly take: Take;
  readonly noise: number | undefined;
  readonly outcome: Outcome;
}

/**
 * Measures the end of spoken turns with and without pauses and in four levels of noise, with real
 * models and a real call on a virtual clock. Results are in audio time and independent of the
 * machine's speed. `--json` prints JSON, `--tuning` uses the turns and voices from which the rules
 * were chosen, `--all` prints every turn.
 */
export async function run(args: readonly string[]): Promise<number> {
  const scheduler = new CpuScheduler(1);
  const callers = await openCallers(scheduler);
  const models = new RealSpeechModels(scheduler);
  try {
    const isTuning = args.includes('--tuning');
    const voices = isTuning ? callers.tuning : callers.judging;
    const turns = isTuning ? TUNING_TURNS : EVALUATION_TURNS;
    const takes: Take[] = [];
    for (const [i, turn] of turns.entries()) {
      takes.push(await takeOf(turn, voices[i % voices.length]!));
    }
    const runs = new Map<Row, EndpointingRun[]>(ROWS.map((row) => [row, []]));
    for (const clean of takes) {
      for (const noise of NOISES) {
        const take = noise === undefined ? clean : withNoise(clean, noise);
        const probabilities = await models.probabilities(take.samples);
        for (const row of ROWS) {
          const outcome =
            row.rule === 'parley'
              ? await runTake(take, probabilities, models, row.settings)
              : await baseline(row.rule, take, probabilities, models, row.settings);
          runs.get(row)!.push({ take, noise, outcome });
        }
      }
    }
    const table = ROWS.map((row) => ({
      name: row.name,
      settings: row.settings,
      ...summarise(runs.get(row)!.map(({ outcome }) => outcome)),
      byNoise: NOISES.map((noise) => ({
        snrDb: noise ?? null,
        ...summarise(runs.get(row)!.flatMap((one) => (one.noise === noise ? [one.outcome] : []))),
      })),
    }));
    const verdicts = verdictsOf(table[0]!);
    if (args.includes('--json')) {
      console.log(JSON.stringify({ machine: machineNow(), table, verdicts }, undefined, 2));
    } else {
      print(table);
      for (const { name, value, aim, isMet } of verdicts) {
        console.log(`${isMet ? 'met   ' : 'MISSED'} ${name}: ${value} (aim ${aim})`);
      }
    }
    if (args.includes('--all')) printAll(runs.get(ROWS[0]!)!);
    return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
  } finally {
    await Promise.all([models.close(), callers.close()]);
  }
}

function verdictsOf({ turns, cutOff, missed, p50, p95 }: EndpointingSummary) {
  const most = Math.floor(turns * MAX_CUT_OFF);
  return [
    { name: 'turns cut off', value: cutOff, aim: most, isMet: cutOff <= most },
    { name: 'turns missed', value: missed, aim: 0, isMet: missed === 0 },
    { name: 'p50 of commit after the end, ms', value: p50, aim: P50_MS, isMet: p50 <= P50_MS },
    { name: 'p95 of commit after the end, ms', value: p95, aim: P95_MS, isMet: p95 <= P95_MS },
  ];
}

type Line = EndpointingSummary & {
  readonly name: string;
  readonly byNoise: readonly (EndpointingSummary & { readonly snrDb: number | null })[];
};

function print(table: readonly Line[]): void {
  console.log('rule                        noise   turns  cut off  late  missed  p50 ms  p95 ms');
  for (const { name, byNoise, ...all } of table) {
    console.log(lineOf(name, 'all', all));
    for (const { snrDb, ...tally } of byNoise) {
      console.log(lineOf('', snrDb === null ? 'none' : `${snrDb} dB`, tally));
    }
  }
}

function lineOf(
  name: string,
  noise: string,
  { turns, cutOff, late, missed, p50, p95 }: EndpointingSummary,
) {
  const cells = [turns, cutOff, late, missed, p50, p95].map((cell) => String(cell).padStart(7));
  return `${name.padEnd(28)}${noise.padEnd(6)}${cells.join(' ')}`;
}

function printAll(runs: readonly EndpointingRun[]): void {
  for (const { take, noise, outcome } of runs) {
    const mark = isCutOff(outcome) ? 'CUT ' : (outcome.commits.at(-1) ?? -1) < 0 ? 'MISS' : '    ';
    const commits = outcome.commits.map(Math.round).join(' ');
    const where = `${take.voice} ${noise ?? 'clean'}`;
    console.log(`${mark} ${commits} | ${where} | ${take.turn.text} | ${outcome.texts.join(' / ')}`);
  }
}
