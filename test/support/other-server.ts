import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type DatabaseConnection } from '../../src/db/connect.js';
import { asUser, NOBODY } from '../../src/db/embedded/server-user.js';

const NAME = 'parley';
const READY_WITHIN_MS = 30_000;

/** The major version of the programs in Debian's folder for it. */
export function otherMajor(bin: string): string {
  return basename(dirname(bin));
}

/**
 * Starts a PostgreSQL that is not ours on a data folder, which it makes where there is none, with the
 * user and the database that our own has. Its socket lies beside the data.
 */
export async function startOtherServer(bin: string, data: string) {
  const user = process.getuid?.() === 0 ? NOBODY : undefined;
  const isNew = !existsSync(data);
  if (isNew) {
    mkdirSync(data, { mode: 0o700 });
    if (user) chownSync(data, user.uid, user.gid);
    const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C.UTF-8', '-E', 'UTF8'];
    const { status, stderr } = spawnSync(join(bin, 'initdb'), [...init, '--no-sync'], {
      ...asUser(user),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  }
  const settings = ['listen_addresses=', `unix_socket_directories=${data}`, 'fsync=off'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...options, '-c', 'max_connections=50'],
    {
      ...asUser(user),
      stdio: 'ignore', // it tells of each start, and of each fault that a test makes
    },
  );
  const dieWithUs = () => server.kill('SIGKILL');
  process.once('exit', dieWithUs);
  const at = { host: data, port: 5432 };
  await untilReady(server, { ...at, user: 'postgres', database: 'postgres' });
  if (isNew) await makeOurs({ ...at, user: 'postgres', database: 'postgres' });
  return {
    connection: { ...at, user: NAME, database: NAME },
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      process.off('exit', dieWithUs);
    },
  };
}

async function untilReady(server: ChildProcess, connection: DatabaseConnection): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const db = connect(connection, { poolMax: 1 });
    try {
      await db.raw('select 1');
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
      await sleep(50);
    } finally {
      await db.destroy();
    }
  }
}

/** Our user is no superuser here either. */
async function makeOurs(connection: DatabaseConnection): Promise<void> {
  const admin = connect(connection, { poolMax: 1 });
  await admin.raw('create role ?? login', [NAME]);
  await admin.raw('create database ?? owner ??', [NAME, NAME]);
  await admin.destroy();
}
