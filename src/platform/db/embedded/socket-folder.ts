import { chmod, chown, lstat, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../../config/start-error.js';
import type { ServerUser } from './server-user.js';

/** Part of the name of PostgreSQL's socket. No TCP port is opened. */
export const SOCKET_PORT = 5432;

/** Source: sockaddr_un.sun_path of unix(7) without its terminating zero; 103 on macOS. */
export const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** File in DATA_DIR that holds the path of the socket folder. */
const POINTER = 'postgres-socket';

/**
 * Returns the folder of the server's socket. It is a temporary folder with a short path, since the
 * path of a socket is limited. A user that can enter it can use the database, so its mode is 0700.
 * @throws {StartError} if no temporary folder is suitable
 */
export async function prepareSocketFolder(
  dataDir: string,
  user: ServerUser | undefined,
): Promise<string> {
  const pointer = join(dataDir, POINTER);
  const last = await socketFolderOf(dataDir);
  if (last && (await isOurs(last, user))) return last;
  const folder = await makeFolder(user);
  await writeFile(`${pointer}.partial`, `${folder}\n`);
  await rename(`${pointer}.partial`, pointer);
  return folder;
}

/** The socket folder of a data folder's server, running or not; empty if there was none. */
export async function socketFolderOf(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, POINTER), 'utf8').catch(() => '')).trim();
}

export async function removeSocketFolder(dataDir: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await rm(join(dataDir, POINTER), { force: true });
}

async function makeFolder(user: ServerUser | undefined): Promise<string> {
  for (const parent of [tmpdir(), '/tmp']) {
    const folder = await mkdtemp(join(parent, 'parley-')).catch(() => undefined);
    if (!folder) continue;
    const socket = join(folder, `.s.PGSQL.${SOCKET_PORT}`);
    if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) {
      await rm(folder, { recursive: true });
      continue;
    }
    await chmod(folder, 0o700);
    if (user) await chown(folder, user.uid, user.gid);
    return folder;
  }
  throw new StartError(
    `Cannot create a socket for the database in ${tmpdir()}: set TMPDIR to a writable folder with a short path.`,
  );
}

/** The system may delete temporary folders, and another user may create one of the same name. */
async function isOurs(folder: string, user: ServerUser | undefined): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  return found.uid === (user?.uid ?? process.getuid?.()) && (found.mode & 0o777) === 0o700;
}
