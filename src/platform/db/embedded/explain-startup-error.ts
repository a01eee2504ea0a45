import { StartError } from '../../../config/start-error.js';

const CAUSES: ReadonlyArray<readonly [RegExp, string]> = [
  [/no space left|ENOSPC/i, 'the disk is full: free some space and start again'],
  [/disk quota exceeded|EDQUOT/i, 'the disk quota is exceeded: free some space and start again'],
  [/read-only file system|EROFS/i, 'its folder is read-only: set DATA_DIR to another folder'],
  [
    /EPERM/,
    'under root it must run as another user, but this system forbids that: start Parley as an ordinary user, or set DATABASE_URL',
  ],
  [
    /effective user ID/i,
    'the user of Parley has no entry in /etc/passwd: add one, or set DATABASE_URL',
  ],
  [
    /incompatible with server|initialized by PostgreSQL version/i,
    'its files have the format of another major version of PostgreSQL: start the version of Parley that wrote them and run "npm run admin -- backup FILE", then run "npm run admin -- restore FILE" with this version and DATA_DIR set to a new folder',
  ],
  [
    /locale name|invalid locale/i,
    'this system lacks the locale C.UTF-8: install it, or set DATABASE_URL',
  ],
];

/** One sentence about the output of a PostgreSQL program: a known cause, or the output itself. */
export function explainStartupError(what: string, output: string, logFile?: string): StartError {
  const known = CAUSES.find(([pattern]) => pattern.test(output))?.[1];
  if (known) return new StartError(`The embedded database ${what}: ${known}.`);
  const lines = output.trim().split('\n');
  const line = lines.findLast((text) => /FATAL|PANIC|error:/i.test(text)) ?? lines.at(-1) ?? '';
  const words = line.replace(/^.*?(FATAL|PANIC|error):\s*/, '').slice(0, 300);
  const advice = logFile
    ? `see ${logFile}, or set DATABASE_URL`
    : 'fix the cause, or set DATA_DIR to another folder';
  return new StartError(`The embedded database ${what} (${words}): ${advice}.`);
}
