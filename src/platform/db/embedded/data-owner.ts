import { chown, lchown, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddedLog } from './embedded-log.js';
import { stopSurvivor } from './server-process.js';
import { DATABASE_USER, NOBODY, type ServerUser } from './server-user.js';

/**
 * As whom the server runs. PostgreSQL refuses to run as root, so it then runs as the owner of its
 * data, or for new data as a user of its own. Data of the shared user nobody, which older versions
 * used, is given to that user first: whatever runs as nobody could read it, and enter its socket.
 */
export async function chooseServerUser(
  data: string,
  log: EmbeddedLog,
): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (!owner || owner.uid === 0) return DATABASE_USER;
  if (owner.uid !== NOBODY.uid) return { uid: owner.uid, gid: owner.gid };
  try {
    const folder = await realpath(data);
    await stopSurvivor(folder); // it could not read its files any more
    await giveTo(DATABASE_USER, folder);
    return DATABASE_USER;
  } catch (error) {
    log.warn(
      { err: error },
      'The database stays with the shared user nobody: its files cannot be given to another',
    );
    return NOBODY;
  }
}

/** Gives a database's files to a user. The folder itself comes last, so that a crash is made good. */
export async function giveTo({ uid, gid }: ServerUser, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
  await chown(folder, uid, gid);
}
