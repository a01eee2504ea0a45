import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type DatabaseConnection } from '../../../../src/platform/db/connect.js';
import { asUser, NOBODY } from '../../../../src/platform/db/embedded/server-user.js';

const NAME = 'parley';
const READY_WITHIN_MS = 30_000;

/** PostgreSQL refuses to run as root. */
export const TEST_SERVER_USER = process.getuid?.() === 0 ? NOBODY : undefined;

/** Two test files at a time, each with several pools of connections. */
const MAX_CONNECTIONS = 200;

export interface PostgresServer {
  /** Connects as the owner of the database `parley`, without superuser rights. */
  readonly connection: DatabaseConnection;
  stop(): Promise<void>;
}

/**
 * Creates a data folder.
 * @param bin the folder with `initdb`
 * @param locale arguments of `initdb`
 */
export async function createCluster(
  bin: string,
  data: string,
  locale: readonly string[] = ['--locale=C.UTF-8'],
): Promise<void> {
  const user = TEST_SERVER_USER;
  mkdirSync(data, { mode: 0o700 });
  if (user) chownSync(data, user.uid, user.gid);
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale];
  const { status, stderr } = spawnSync(join(bin, 'initdb'), args, {
    ...asUser(user),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
}

/**
 * Starts PostgreSQL on a data folder and creates the same user and database as the embedded server.
 * It is not durable: tests of crash recovery need the embedded server.
 * @param bin the folder with `postgres`
 * @param data data folder; also holds the socket
 */
export async function startPostgres(bin: string, data: string): Promise<PostgresServer> {
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${data}`,
    `max_connections=${MAX_CONNECTIONS}`,
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  // The log is discarded: it contains every error that a test provokes.
  const server = spawn(join(bin, 'postgres'), args, {
    ...asUser(TEST_SERVER_USER),
    stdio: 'ignore',
  });
  const dieWithUs = () => server.kill('SIGKILL');
  process.once('exit', dieWithUs);
  const at = { host: data, port: 5432 };
  await untilReady(server, { ...at, user: 'postgres', database: 'postgres' });
  await createOwner({ ...at, user: 'postgres', database: 'postgres' });
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

async function createOwner(connection: DatabaseConnection): Promise<void> {
  const admin = connect(connection, { poolMax: 1 });
  await admin.raw('create role ?? login', [NAME]);
  await admin.raw('create database ?? owner ??', [NAME, NAME]);
  await admin.destroy();
}
