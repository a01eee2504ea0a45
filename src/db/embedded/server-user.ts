import { type SpawnOptions, spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** As whom the server runs; undefined: as we do. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/**
 * PostgreSQL refuses to run as root, so it then runs as the owner of its data, or for new data as
 * nobody.
 */
export async function chooseServerUser(data: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : NOBODY;
}

/** Whether the server's user gets into a folder: asked of the system, so no rule is forgotten. */
export function canReach(user: ServerUser | undefined, folder: string): boolean {
  const test = ['-c', 'cd -- "$1"', 'sh', folder];
  return spawnSync('/bin/sh', test, asUser(user)).status === 0;
}

/**
 * How to start a program of PostgreSQL: from a folder that everybody can reach, and with none of
 * our environment, as that holds secrets.
 */
export function asUser(user: ServerUser | undefined): SpawnOptions {
  return { ...user, cwd: '/', env: { PATH: process.env.PATH ?? '/usr/bin:/bin', TZ: 'UTC' } };
}
