import { runInBackground } from '../inference/background-thread.js';
import { serveJobs } from '../inference/serve-jobs.js';
import { fileFault } from './file-fault.js';
import type { SpoolJobs } from './recording-jobs.js';
import { summariseSpool } from './spool-reader.js';
import { SpoolWriter } from './spool-writer.js';

const spools = new Map<number, SpoolWriter>();
const done = { output: null };

runInBackground();
serveJobs<SpoolJobs>({
  open: ({ id, path, rates }) => {
    spools.set(
      id,
      fileFault(() => new SpoolWriter(path, rates)),
    );
    return done;
  },
  append: ({ id, pieces }) => {
    fileFault(() => spools.get(id)?.append(pieces));
    return done;
  },
  close: ({ id, durationMs }) => {
    const spool = spools.get(id);
    spools.delete(id);
    fileFault(() => spool?.close(durationMs));
    return done;
  },
  measure: (path) => ({ output: summariseSpool(path).durationMs }),
});
