import type { SpoolJobs } from '../../../media/recording/spool-thread.js';
import { WorkerThread } from '../../../media/runtime/worker-thread.js';
import { audioAt, CHUNK_MS, RATES } from './spool-audio.js';

// Writes a spool to the given path without an end and prints the duration written so far.
const path = process.argv[2]!;
const script = new URL('../../../media/recording/spool.worker.js', import.meta.url);
const thread = new WorkerThread<SpoolJobs>(script, undefined);
await thread.run('open', { id: 1, path, rates: RATES });
for (let fromMs = 0; ; fromMs += CHUNK_MS) {
  const chunks = [audioAt('caller', fromMs), audioAt('agent', fromMs)];
  await thread.run('append', { id: 1, pieces: chunks });
  process.stdout.write(`${fromMs + CHUNK_MS}\n`);
}
