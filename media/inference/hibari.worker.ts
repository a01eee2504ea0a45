import { workerData } from 'node:worker_threads';
import { runBehindCalls } from './background-thread.js';
import { HibariEngine } from './hibari-engine.js';
import type { HibariFiles } from './hibari-jobs.js';
import { servePieces, WARM_UP_ID } from './serve-pieces.js';

/** Long and short, so that every loop has been compiled for good before the first caller. */
const WARM_UP = [
  'Good morning everyone, how are you today?',
  'Our office opens at nine in the morning and closes at six.',
  'Yes.',
];
const WARM_UP_ROUNDS = 4;

runBehindCalls();
servePieces(
  () => HibariEngine.load(workerData as HibariFiles),
  Array.from({ length: WARM_UP_ROUNDS }, (_, seed) => {
    const sound = { pronounced: [], temperature: 1, topP: 0.8, seed, speed: 1 };
    return WARM_UP.map((text) => ({ ...sound, id: WARM_UP_ID, text }));
  }).flat(),
);
