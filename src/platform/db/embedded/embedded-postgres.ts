import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { StartError } from '../../../config/start-error.js';
import type { DatabaseConnection } from '../connect.js';
import { findBinaries } from './binaries.js';
import { prepareDataFolder } from './data-folder.js';
import { explainStartupError } from './explain-startup-error.js';
import { lockFolder } from './folder-lock.js';
import { ServerMonitor } from './server-monitor.js';
import { type ServerOptions, startServer, stopLeftoverServer } from './server-process.js';
import { chooseServerUser } from './server-user.js';
import {
  prepareSocketFolder,
  removeSocketFolder,
  SOCKET_PORT,
  socketFolderOf,
} from './socket-folder.js';

export interface EmbeddedOptions {
  /** Used by one gateway at a time. Created if it does not exist. */
  readonly dataDir: string;
  /** For copies of the programs, and under root for data if the server cannot enter `dataDir`. */
  readonly cacheDir: string;
  readonly log?: Logger;
  /** Default: 50. */
  readonly maxConnections?: number;
  /** Called when the server died and cannot be restarted. The process should exit. */
  readonly onLost?: (error: StartError) => void;
}

/** A PostgreSQL server of this process. If it dies, it is restarted at the same address. */
export interface EmbeddedDatabase {
  readonly connection: DatabaseConnection;
  /** Stops the server and releases the folder. Close the connection pools first. Idempotent. */
  stop(): Promise<void>;
}

const NAME = 'parley';
const DEFAULT_MAX_CONNECTIONS = 50;

/**
 * Starts the database in `dataDir` and locks that folder until `stop`. The server of a killed
 * gateway is stopped first.
 * @throws {StartError} with a sentence that says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  try {
    // Others may enter it but not read it: under root, the server runs as another user.
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    const lock = await lockFolder(dataDir);
    try {
      return await start({ ...options, dataDir }, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof StartError || !(error instanceof Error)) throw error;
    if (!('code' in error)) throw error;
    throw explainStartupError('cannot be prepared', error.message);
  }
}

/** The database of a running gateway on `dataDir`, or `undefined`. */
export async function runningDatabase(dataDir: string): Promise<DatabaseConnection | undefined> {
  const host = await socketFolderOf(resolve(dataDir));
  if (!host) return undefined;
  const connection = connectionAt(host);
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // `connect` rejects with it too
  const answers = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return answers ? connection : undefined;
}

function connectionAt(socketFolder: string): DatabaseConnection {
  return { host: socketFolder, port: SOCKET_PORT, user: NAME, database: NAME };
}

async function start(
  options: EmbeddedOptions,
  lock: { release(): Promise<void> },
): Promise<EmbeddedDatabase> {
  const { dataDir, maxConnections = DEFAULT_MAX_CONNECTIONS, onLost } = options;
  const log = options.log ?? pino({ level: 'silent' });
  const cacheDir = resolve(options.cacheDir);
  const user = await chooseServerUser(join(dataDir, 'postgres'));
  const bin = await findBinaries({ cacheDir, user });
  const data = await prepareDataFolder({ dataDir, cacheDir, bin, user, log });
  const socketFolder = await prepareSocketFolder(dataDir, user);
  const logFile = join(dataDir, 'postgres.log');
  const server: ServerOptions = { bin, data, socketFolder, logFile, user, maxConnections };
  await stopLeftoverServer(data);
  const monitor = new ServerMonitor({ server, running: await startServer(server), log, onLost });
  try {
    await prepareDatabase(socketFolder);
  } catch (error) {
    await monitor.stop();
    throw error;
  }
  const stop = async () => {
    await monitor.stop();
    await removeSocketFolder(dataDir, socketFolder);
    await lock.release();
  };
  let stopping: Promise<void> | undefined;
  return {
    connection: connectionAt(socketFolder),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Creates a role that is no superuser, so that injected SQL cannot reach files or programs. */
async function prepareDatabase(host: string): Promise<void> {
  const admin = new pg.Client({ host, port: SOCKET_PORT, user: 'postgres', database: 'postgres' });
  await admin.connect();
  try {
    const role = await admin.query('select from pg_roles where rolname = $1', [NAME]);
    if (role.rowCount === 0) await admin.query(`create role ${NAME} login`);
    const database = await admin.query('select from pg_database where datname = $1', [NAME]);
    if (database.rowCount === 0) await admin.query(`create database ${NAME} owner ${NAME}`);
  } finally {
    await admin.end();
  }
}
