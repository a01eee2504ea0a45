import { workerData } from 'node:worker_threads';
import { lazy } from '../runtime/lazy.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { lowerThreadPriority } from '../runtime/thread-priority.js';
import { MoonshineEngine } from './moonshine-engine.js';
import type { MoonshineJobs } from './moonshine-speech-to-text.js';

const { folder } = workerData as { folder: string };
const engine = lazy(() => MoonshineEngine.load(folder));

lowerThreadPriority();
serveJobs<MoonshineJobs>({
  transcribe: async ({ samples }) => ({ output: await (await engine.get()).transcribe(samples) }),
});
