import { workerData } from 'node:worker_threads';
import { runBehindCalls } from './background-thread.js';
import { loadOnce } from './load-once.js';
import { MoonshineEngine } from './moonshine-engine.js';
import type { MoonshineJobs } from './moonshine-recogniser.js';
import { serveJobs } from './serve-jobs.js';

const { folder } = workerData as { folder: string };
const engine = loadOnce(() => MoonshineEngine.load(folder));

runBehindCalls();
serveJobs<MoonshineJobs>({
  transcribe: async ({ samples }) => ({ output: await (await engine.get()).transcribe(samples) }),
});
