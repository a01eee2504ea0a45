import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { StartError } from '../../../config/start-error.js';
import { explainStartupError } from './explain-startup-error.js';
import {
  asUser,
  canReach,
  changeOwner,
  NOBODY,
  reachableFolder,
  type ServerUser,
} from './server-user.js';

/** PostgreSQL sorts text by its built-in rules; the system locale must exist and be UTF-8. */
const SYSTEM_LOCALE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** Arguments of `initdb` for the collation of a cluster. */
export const LOCALE_ARGS = [
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  `--locale=${SYSTEM_LOCALE}`,
] as const;

export interface DataFolderOptions {
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly bin: string;
  readonly user: ServerUser | undefined;
  readonly log: Logger;
}

/**
 * Returns the folder with the database files and creates it on the first start. It is
 * `DATA_DIR/postgres`, or the target of a link of that name if the server user cannot enter
 * DATA_DIR.
 * @throws {StartError} if the files are gone, belong to another user or cannot be reached
 */
export async function prepareDataFolder(options: DataFolderOptions): Promise<string> {
  const { dataDir, user } = options;
  const path = join(dataDir, 'postgres');
  if (!(await lstat(path).catch(() => undefined))) await createDataFolder(path, options);
  const folder = await realpath(path).catch((cause) => {
    throw new StartError(
      `The files of the embedded database, to which ${path} is a link, do not exist: restore them, or delete ${dataDir} to start with an empty database.`,
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

/** Works under a temporary name, so that a folder with the final name is a complete database. */
async function createDataFolder(path: string, options: DataFolderOptions): Promise<void> {
  const { dataDir, user, log } = options;
  const folder = await choosePlace(path, options);
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  const creator = user && NOBODY;
  if (creator) await chown(draft, creator.uid, creator.gid);
  await runInitdb(draft, { ...options, user: creator });
  if (user) await changeOwner(draft, user);
  await rename(draft, folder);
  if (folder === path) return;
  await symlink(folder, path);
  log.info(
    { folder, dataDir },
    'The files of the database are outside of DATA_DIR, because the user of the database cannot reach DATA_DIR',
  );
}

async function choosePlace(
  path: string,
  { dataDir, cacheDir, user }: DataFolderOptions,
): Promise<string> {
  if (canReach(user, dataDir)) return path;
  const folder = join(await reachableFolder(user, cacheDir), 'databases');
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711); // the umask may have closed it
  return join(folder, `postgres.${randomUUID()}`);
}

function runInitdb(folder: string, { bin, user }: DataFolderOptions): Promise<void> {
  const args = ['-D', folder, '-U', 'postgres', '--encoding=UTF8', '--no-instructions'];
  // Trust: a user that can enter the socket folder (0700) can also read the database files.
  const access = ['--auth-local=trust', '--auth-host=reject'];
  return new Promise((resolve, reject) => {
    const child = spawn(join(bin, 'initdb'), [...args, ...LOCALE_ARGS, ...access], {
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
