import { expect, it } from 'vitest';
import { explainStartupError } from '../../../../src/platform/db/embedded/explain-startup-error.js';

it.each([
  [
    'PANIC:  could not write to file "pg_wal/xlogtemp.42": No space left on device',
    'The embedded database does not start: the disk is full: free some space and start again.',
  ],
  [
    'FATAL:  database files are incompatible with server\nDETAIL: initialized by version 17',
    'The embedded database does not start: its files have the format of another major version of PostgreSQL: start the version of Parley that wrote them and run "npm run admin -- backup FILE", then run "npm run admin -- restore FILE" with this version and DATA_DIR set to a new folder.',
  ],
  [
    'spawn /x/bin/postgres EPERM',
    'The embedded database does not start: under root it must run as another user, but this system forbids that: start Parley as an ordinary user, or set DATABASE_URL.',
  ],
  [
    '2026-11-21 11:04:39.546 UTC [22022] LOG:  starting\n2026-11-21 11:04:39.547 UTC [22022] FATAL:  something new\n2026-11-21 11:04:39.548 UTC [22022] LOG:  shut down',
    'The embedded database does not start (something new): see /d/postgres.log, or set DATABASE_URL.',
  ],
])('one sentence explains %j', (output, sentence) => {
  expect(explainStartupError('does not start', output, '/d/postgres.log').message).toBe(sentence);
});
