import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../runtime/thread-priority.js';
import { serveStreaming } from '../streaming/serve-streaming.js';
import { HibariEngine } from './hibari-engine.js';
import type { HibariFiles } from './hibari-voice.js';

/** Long and short texts, so that V8 has optimised all loops before the first call. */
const WARM_UP = [
  'Good morning everyone, how are you today?',
  'Our office opens at nine in the morning and closes at six.',
  'Yes.',
];
const WARM_UP_ROUNDS = 4;

lowerThreadPriority();
serveStreaming(
  () => HibariEngine.load(workerData as HibariFiles),
  Array.from({ length: WARM_UP_ROUNDS }, (_, seed) => {
    const settings = { pronounced: [], temperature: 1, topP: 0.8, seed, speed: 1 };
    return WARM_UP.map((text) => ({ ...settings, text }));
  }).flat(),
);
