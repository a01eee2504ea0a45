import { serveJobs } from '../../../../media/runtime/serve-jobs.js';
import { lowerThreadPriority } from '../../../../media/runtime/thread-priority.js';
import { ArgumentChecks } from './argument-checks.js';
import type { ValidationJobs } from './validation-jobs.js';

const WARM_UP_SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    day: { type: 'string', format: 'date', pattern: '^[0-9-]+$' },
    count: { enum: [1] },
  },
  required: ['day'],
  additionalProperties: false,
});

lowerThreadPriority();
const checks = new ArgumentChecks();

serveJobs<ValidationJobs>({
  warm: () => {
    checks.for(WARM_UP_SCHEMA)?.({ day: 'x', count: 2 });
    return { output: undefined };
  },
  compile: (schema) => {
    checks.for(schema);
    return { output: undefined };
  },
  validate: ({ schema, args }) => ({ output: checks.for(schema)?.(args) }),
});
