import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../runtime/thread-priority.js';
import { serveStreaming } from '../streaming/serve-streaming.js';
import { PiperEngine } from './piper-engine.js';
import type { PiperFiles } from './piper-voice.js';

/** Numbers of ids in two short sentences. */
const WARM_UP = [60, 140];

lowerThreadPriority();
serveStreaming(
  () => PiperEngine.load(workerData as PiperFiles),
  WARM_UP.map((count) => {
    // Ids that every voice has.
    const ids = [1, ...Array.from({ length: count }, (_, i) => (i % 2) * 20), 2];
    return { temperature: 1, seed: 1, speed: 1, parts: [{ ids, words: [] }] };
  }),
);
