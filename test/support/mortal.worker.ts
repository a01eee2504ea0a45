import { MediaError } from '../../media/errors.js';
import { serveJobs } from '../../media/inference/serve-jobs.js';

/** What the worker of the thread tests does. */
export type MortalJobs = {
  readonly echo: { readonly input: string; readonly output: string };
  readonly refuse: { readonly input: null; readonly output: null };
  readonly die: { readonly input: null; readonly output: null };
};

serveJobs<MortalJobs>({
  echo: (text) => ({ output: text }),
  refuse: () => {
    throw new MediaError('INVALID_INPUT', 'No');
  },
  die: () => process.exit(3),
});
