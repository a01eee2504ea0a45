import { MediaError } from '../errors.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { runAtLowestPriority } from '../runtime/thread-priority.js';
import { diskError } from './disk-errors.js';
import { summariseSpool } from './spool-reader.js';
import type { SpoolJobs } from './spool-thread.js';
import { SpoolWriter } from './spool-writer.js';

const spools = new Map<number, SpoolWriter>();
const done = { output: null };

function spoolOf(id: number): SpoolWriter {
  const spool = spools.get(id);
  if (!spool) throw new MediaError('WORKER_DIED', 'The spool was lost with its worker thread');
  return spool;
}

runAtLowestPriority();
serveJobs<SpoolJobs>({
  open: ({ id, path, rates }) => {
    // After the loss of a worker, each pending job of a spool opens it again.
    if (!spools.has(id)) {
      spools.set(
        id,
        diskError(() => new SpoolWriter(path, rates)),
      );
    }
    return done;
  },
  append: ({ id, pieces }) => {
    diskError(() => spoolOf(id).append(pieces));
    return done;
  },
  close: ({ id, durationMs }) => {
    const spool = durationMs === undefined ? spools.get(id) : spoolOf(id);
    spools.delete(id);
    diskError(() => spool?.close(durationMs));
    return done;
  },
  measure: (path) => ({ output: summariseSpool(path).durationMs }),
});
