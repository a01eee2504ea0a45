import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { AgentConfig } from '../../agents-runtime/contract/agent-config.js';
import { CallError } from '../../agents-runtime/contract/errors.js';
import {
  diffLines,
  timeline,
  turnEndLines,
  turnEnds,
} from '../../agents-runtime/observers/replay/effect-listing.js';
import { type Replayed, replay } from '../../agents-runtime/observers/replay/replay.js';
import { MediaError } from '../../media/errors.js';
import { ModelStore } from '../../media/models/store.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import {
  type ListeningModels,
  loadListeningModels,
} from '../../src/calls/providers/listening-models.js';
import { modelFolders } from '../../src/config/model-folders.js';
import { MODEL_ADVICE } from '../../src/platform/process/models-command.js';
import { changedSettings } from './changed-settings.js';
import { readReplayFile } from './read-replay-file.js';

const USAGE = `usage: npm run replay -- [OPTIONS] FILE…
  Replays recorded calls and prints what differs by more than 100 ms; the exit code is then 1.
  --set NAME=VALUE   replay with another turn-taking setting, such as min_endpointing_delay=0.3,
                     and print where turns would end (the exit code is then 0)
  --quiet            only what differs, without the timeline
`;

/** No difference; a difference; an invalid command line or file. */
const EXIT = { same: 0, different: 1, refused: 2 } as const;

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) return EXIT.refused;
  const { files, isQuiet, changes } = options;
  const models = changes && (await openModels());
  const liveModels = models && {
    turnDetector: models.turnDetector,
    speechToText: models.speechToText,
  };
  let code: number = EXIT.same;
  try {
    for (const file of files) {
      const recording = await readReplayFile(file);
      const startedAt = performance.now();
      const replayed = await replay(recording, { changes, liveModels });
      const tookMs = performance.now() - startedAt;
      const name = basename(file);
      const seconds = (replayed.durationMs / 1000).toFixed(1);
      console.log(`${name}: ${seconds} s of call in ${(tookMs / 1000).toFixed(2)} s`);
      if (!isQuiet) print(timeline(replayed.replayed));
      if (changes) printTurnEnds(replayed, models !== undefined);
      else if (!printDifferences(replayed)) code = EXIT.different;
    }
  } finally {
    await models?.close();
  }
  return code;
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        set: { type: 'string', multiple: true },
        quiet: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const changes: Partial<AgentConfig> | string | undefined =
      values.set && changedSettings(values.set);
    if (positionals.length > 0 && typeof changes !== 'string') {
      return { files: positionals, isQuiet: values.quiet, changes };
    }
    console.error(typeof changes === 'string' ? changes : USAGE);
  } catch {
    console.error(USAGE);
  }
  return undefined;
}

/** Models for requests that the file does not contain; undefined if they are not installed. */
async function openModels(): Promise<ListeningModels | undefined> {
  const { modelsDir, cacheDir } = modelFolders(process.env);
  try {
    const modelStore = new ModelStore({ modelsDir, cacheDir, advice: MODEL_ADVICE });
    return await loadListeningModels(modelStore, new CpuScheduler(1), pino({ level: 'silent' }));
  } catch (error) {
    if (error instanceof MediaError && error.code === 'MODEL_MISSING') return undefined;
    throw error;
  }
}

function printDifferences({ replayed, differences, isSameOrder }: Replayed): boolean {
  if (!isSameOrder) {
    console.log(
      'The order of turn events differs from the recording. The recorded events were replayed through ' +
        'the turn reducer; only its states and timers are compared.',
    );
  }
  const lines = diffLines(differences);
  if (lines.length === 0) {
    console.log(`No difference: ${replayed.length} events.`);
    return true;
  }
  console.log('Differences (- recorded, + replayed):');
  print(lines);
  return false;
}

function printTurnEnds({ recorded, replayed, answers }: Replayed, hasModels: boolean): void {
  console.log('Ends of turns (- recorded, + with these settings):');
  print(turnEndLines(turnEnds(recorded), turnEnds(replayed)));
  const by = hasModels
    ? 'the models'
    : 'the nearest answers of the file, because no models are installed';
  console.log(`${answers.estimated} requests were not in the file and were answered by ${by}.`);
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

try {
  process.exitCode = await main();
} catch (error) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (!(error instanceof CallError) && code !== 'ENOENT' && code !== 'EISDIR') throw error;
  console.error(error instanceof CallError ? error.message : 'The file does not exist');
  process.exitCode = EXIT.refused;
}
