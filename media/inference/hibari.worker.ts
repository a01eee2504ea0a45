import { workerData } from 'node:worker_threads';
import { HibariEngine } from './hibari-engine.js';
import type { HibariFiles, HibariJobs } from './hibari-jobs.js';
import type { SpokenPiece } from './piece-jobs.js';
import { type JobResult, serveJobs } from './serve-jobs.js';

/** Long and short, so that every loop has been compiled for good before the first caller. */
const WARM_UP = [
  'Good morning everyone, how are you today?',
  'Our office opens at nine in the morning and closes at six.',
  'Yes.',
];
const WARM_UP_ROUNDS = 4;
/** Client ids count up from 1. */
const WARM_UP_ID = 0;

let engine: Promise<HibariEngine> | undefined;

/** Loaded with the first job; a failure is told to it and tried again by the next. */
function load(): Promise<HibariEngine> {
  engine ??= HibariEngine.load(workerData as HibariFiles).catch((error) => {
    engine = undefined;
    throw error;
  });
  return engine;
}

async function warm(): Promise<void> {
  const voice = await load();
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const text of WARM_UP) {
      const sound = { pronounced: [], temperature: 1, topP: 0.8, seed: round, speed: 1 };
      let piece = await voice.begin({ ...sound, id: WARM_UP_ID, text });
      while (!piece.isLast) piece = await voice.next(WARM_UP_ID);
    }
  }
}

function handOver(piece: SpokenPiece): JobResult<SpokenPiece> {
  return { output: piece, transfer: [piece.samples.buffer] };
}

serveJobs<HibariJobs>({
  warm: async () => {
    await warm();
    return { output: null };
  },
  begin: async (utterance) => handOver(await (await load()).begin(utterance)),
  next: async ({ id }) => handOver(await (await load()).next(id)),
  cancel: async ({ id }) => {
    (await engine)?.cancel(id);
    return { output: null };
  },
  count: async () => ({ output: (await engine)?.open ?? 0 }),
});
