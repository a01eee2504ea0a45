import { workerData } from 'node:worker_threads';
import { MoonshineEngine } from './moonshine-engine.js';
import type { MoonshineJobs } from './moonshine-recogniser.js';
import { serveJobs } from './serve-jobs.js';

const engine = MoonshineEngine.load((workerData as { folder: string }).folder);
// Told to each job; without this line the first failure would end the process.
engine.catch(() => undefined);

serveJobs<MoonshineJobs>({
  transcribe: async ({ samples }) => ({ output: await (await engine).transcribe(samples) }),
});
