import { workerData } from 'node:worker_threads';
import type { SpokenPiece } from './piece-jobs.js';
import { PiperEngine } from './piper-engine.js';
import type { PiperFiles, PiperJobs } from './piper-jobs.js';
import { type JobResult, serveJobs } from './serve-jobs.js';

/** Ids of any voice, as many as two short sentences have. */
const WARM_UP = [60, 140].map((count) => [
  1,
  ...Array.from({ length: count }, (_, i) => (i % 2) * 20),
  2,
]);
/** Client ids count up from 1. */
const WARM_UP_ID = 0;

let engine: Promise<PiperEngine> | undefined;

/** Loaded with the first job; a failure is told to it and tried again by the next. */
function load(): Promise<PiperEngine> {
  engine ??= PiperEngine.load(workerData as PiperFiles).catch((error) => {
    engine = undefined;
    throw error;
  });
  return engine;
}

async function warm(): Promise<void> {
  const voice = await load();
  for (const ids of WARM_UP) {
    const sound = { temperature: 1, seed: 1, speed: 1 };
    let piece = await voice.begin({ ...sound, id: WARM_UP_ID, scripts: [{ ids, words: [] }] });
    while (!piece.isLast) piece = await voice.next(WARM_UP_ID);
  }
}

function handOver(piece: SpokenPiece): JobResult<SpokenPiece> {
  return { output: piece, transfer: [piece.samples.buffer] };
}

serveJobs<PiperJobs>({
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
