import type { SpoolJobs } from '../../../media/recording/spool-thread.js';
import { WorkerThread } from '../../../media/runtime/worker-thread.js';
import { PIECE_MS, RATES, soundAt } from './spool-audio.js';

// Writes a spool to the path that it is given, without an end, and prints how much is in the file.
const path = process.argv[2]!;
const script = new URL('../../../media/recording/spool.worker.js', import.meta.url);
const thread = new WorkerThread<SpoolJobs>(script, undefined);
await thread.run('open', { id: 1, path, rates: RATES });
for (let fromMs = 0; ; fromMs += PIECE_MS) {
  const pieces = [soundAt('caller', fromMs), soundAt('agent', fromMs)];
  await thread.run('append', { id: 1, pieces });
  process.stdout.write(`${fromMs + PIECE_MS}\n`);
}
