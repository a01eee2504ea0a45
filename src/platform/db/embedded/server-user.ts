import { type SpawnOptions, spawnSync } from 'node:child_process';
import { chmod, chown, lchown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The user that the server runs as; `undefined` means the user of this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs the database of a gateway that root started. It needs no passwd entry, and no system assigns
 * the id to another user. Source: systemd's "Users, Groups, UIDs and GIDs": 65520…65533 are unused.
 */
const DATABASE_USER: ServerUser = { uid: 65_521, gid: 65_521 };

/** Runs `initdb`, which refuses a user without a passwd entry. Other services may share this user. */
export const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/** Used under root when the cache folder, often below /root, is closed to the server user. */
const SHARED_FOLDER = '/var/lib/parley';

/**
 * The user to run the server as. PostgreSQL refuses to run as root: under root it runs as the owner
 * of existing data, or as a dedicated user.
 */
export async function chooseServerUser(data: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (!owner || owner.uid === 0) return DATABASE_USER;
  return { uid: owner.uid, gid: owner.gid };
}

/** Changes the owner of a folder and of everything in it. */
export async function changeOwner(folder: string, { uid, gid }: ServerUser): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
  await chown(folder, uid, gid);
}

/** Whether the server user can enter a folder. A child process tries it, so every rule counts. */
export function canReach(user: ServerUser | undefined, folder: string): boolean {
  const test = ['-c', 'cd -- "$1"', 'sh', folder];
  return spawnSync('/bin/sh', test, asUser(user)).status === 0;
}

/** A folder that the server user can enter: `cacheDir` if possible, else `/var/lib/parley`. */
export async function reachableFolder(
  user: ServerUser | undefined,
  cacheDir: string,
): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  if (canReach(user, cacheDir)) return cacheDir;
  await mkdir(SHARED_FOLDER, { recursive: true });
  await chmod(SHARED_FOLDER, 0o755); // the umask may have closed it
  return SHARED_FOLDER;
}

/**
 * Options to spawn a PostgreSQL program: a working directory that every user can enter, and none of
 * this process's environment, which holds secrets.
 */
export function asUser(user: ServerUser | undefined): SpawnOptions {
  return { ...user, cwd: '/', env: { PATH: process.env.PATH ?? '/usr/bin:/bin', TZ: 'UTC' } };
}
