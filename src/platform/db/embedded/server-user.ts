import { type SpawnOptions, spawnSync } from 'node:child_process';

/** As whom the server runs; undefined: as we do. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs the database of a gateway that root started. No passwd entry is needed, and no system assigns
 * the id to anybody else. Source: systemd's "Users, Groups, UIDs and GIDs": 65520…65533 are unused.
 */
export const DATABASE_USER: ServerUser = { uid: 65_521, gid: 65_521 };

/** Shared by all that need no user of their own. It has a name, which `initdb` insists on. */
export const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

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
