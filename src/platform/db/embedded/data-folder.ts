import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../../config/start-error.js';
import { SHARED_FOLDER } from './binaries.js';
import { giveTo } from './data-owner.js';
import type { EmbeddedLog } from './embedded-log.js';
import { explainStartupError } from './explain-startup-error.js';
import { asUser, canReach, NOBODY, type ServerUser } from './server-user.js';

/** Text is sorted by PostgreSQL's own rules; the system's must be UTF-8 and must be there. */
const SYSTEM_LOCALE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

export interface DataFolderOptions {
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly bin: string;
  readonly user: ServerUser | undefined;
  readonly log: EmbeddedLog;
}

/**
 * The folder with the database's files, made on the first start. It is `DATA_DIR/postgres`, or a
 * link of that name to a place that the server's user can reach.
 */
export async function prepareDataFolder(options: DataFolderOptions): Promise<string> {
  const { dataDir, user } = options;
  const path = join(dataDir, 'postgres');
  if (!(await lstat(path).catch(() => undefined))) await createDataFolder(path, options);
  const folder = await realpath(path).catch((cause) => {
    throw new StartError(
      `The files of the embedded database, to which ${path} is a link, are gone: bring them back, or delete ${dataDir} to begin anew.`,
      { cause },
    );
  });
  const { uid } = await stat(folder);
  const expected = user?.uid ?? process.getuid?.();
  if (uid !== expected) {
    throw new StartError(
      `The files of the embedded database (${folder}) belong to the user ${uid}: start Parley as that user or as root.`,
    );
  }
  if (!canReach(user, folder)) {
    throw new StartError(
      `The user ${expected}, as whom the embedded database runs, cannot reach ${folder}: make the folders above it passable (chmod o+x), or set DATA_DIR to another folder.`,
    );
  }
  return folder;
}

/** Works under another name first, so that a folder that has its name is a whole database. */
async function createDataFolder(path: string, options: DataFolderOptions): Promise<void> {
  const { dataDir, user, log } = options;
  const folder = await choosePlace(path, options);
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  const maker = user && NOBODY; // initdb insists on a user with a name
  if (maker) await chown(draft, maker.uid, maker.gid);
  await initialise(draft, { ...options, user: maker });
  if (user) await giveTo(user, draft);
  await rename(draft, folder);
  if (folder === path) return;
  await symlink(folder, path);
  log.info(
    { folder, dataDir },
    'The database keeps its files outside DATA_DIR, which its user cannot reach',
  );
}

async function choosePlace(
  path: string,
  { dataDir, cacheDir, user }: DataFolderOptions,
): Promise<string> {
  if (canReach(user, dataDir)) return path;
  for (const place of [cacheDir, SHARED_FOLDER]) {
    const folder = join(place, 'databases');
    await mkdir(folder, { recursive: true });
    if (place === SHARED_FOLDER) await chmod(place, 0o755);
    await chmod(folder, 0o711);
    if (canReach(user, folder)) return join(folder, `postgres.${randomUUID()}`);
  }
  throw new StartError(
    `The user ${user?.uid}, as whom the embedded database runs, can reach neither ${dataDir} nor ${cacheDir}: set DATA_DIR to a folder outside root's own.`,
  );
}

/** How the clusters of this product sort and fold text, as arguments of `initdb`. */
export const LOCALE_ARGS = [
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  `--locale=${SYSTEM_LOCALE}`,
] as const;

function initialise(folder: string, { bin, user }: DataFolderOptions): Promise<void> {
  const args = ['-D', folder, '-U', 'postgres', '--encoding=UTF8', '--no-instructions'];
  // Trust: whoever gets through the 0700 folder of the socket could read the files as well.
  const entry = ['--auth-local=trust', '--auth-host=reject'];
  return new Promise((resolve, reject) => {
    const child = spawn(join(bin, 'initdb'), [...args, ...LOCALE_ARGS, ...entry], {
      ...asUser(user),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000);
    });
    child.on('error', (error) => reject(explainStartupError('cannot be created', error.message)));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(explainStartupError('cannot be created', errors || `initdb ended with ${code}`));
    });
  });
}
