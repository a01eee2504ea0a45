import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { StartError } from '../../../config/start-error.js';
import type { DatabaseConnection } from '../connect.js';
import { findBinaries } from './binaries.js';
import { prepareDataFolder } from './data-folder.js';
import { chooseServerUser } from './data-owner.js';
import type { EmbeddedLog } from './embedded-log.js';
import { explainStartupError } from './explain-startup-error.js';
import { lockFolder } from './folder-lock.js';
import { ServerMonitor } from './server-monitor.js';
import { adoptServer, type Server, type ServerOptions, startServer } from './server-process.js';
import {
  prepareSocketFolder,
  removeSocketFolder,
  SOCKET_PORT,
  socketFolderOf,
} from './socket-folder.js';

export interface EmbeddedOptions {
  /** Ours alone; made if it is not there. */
  readonly dataDir: string;
  /** For what can be made again, and as root for data that `dataDir` would keep from the server. */
  readonly cacheDir: string;
  readonly log?: EmbeddedLog;
  /** By default enough for one gateway. */
  readonly maxConnections?: number;
  /** The server died and does not come back: time to end the process. */
  readonly onLost?: (error: StartError) => void;
}

/** A PostgreSQL of our own; one that dies is started again, at the same address. */
export interface EmbeddedDatabase {
  readonly connection: DatabaseConnection;
  /** Whether the server of a killed gateway was still there, and went on. */
  readonly adopted: boolean;
  /** Stops the server and gives the folder free; end the pool first. */
  stop(): Promise<void>;
}

const SILENT: EmbeddedLog = { info: () => undefined, warn: () => undefined };
const NAME = 'parley';
const MAX_CONNECTIONS = 50;

/**
 * Starts, or takes over, the database in `dataDir`, and holds that folder until `stop`.
 * @throws {StartError} with a sentence that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  try {
    // Others may pass through it, as root's database runs as another user, but see nothing.
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

/** The database of a gateway that runs on `dataDir` now, if one does. */
export async function runningDatabase(dataDir: string): Promise<DatabaseConnection | undefined> {
  const host = await socketFolderOf(resolve(dataDir));
  if (!host) return undefined;
  const connection = connectionAt(host);
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // told by connect as well
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
  { dataDir, cacheDir, log = SILENT, maxConnections = MAX_CONNECTIONS, onLost }: EmbeddedOptions,
  lock: { release(): Promise<void> },
): Promise<EmbeddedDatabase> {
  const user = await chooseServerUser(join(dataDir, 'postgres'), log);
  const bin = await findBinaries({ cacheDir: resolve(cacheDir), user, log });
  const data = await prepareDataFolder({ dataDir, cacheDir: resolve(cacheDir), bin, user, log });
  const socketFolder = await prepareSocketFolder(dataDir, user);
  const logFile = join(dataDir, 'postgres.log');
  const server: ServerOptions = { bin, data, socketFolder, logFile, user, maxConnections };
  const survivor = await adoptServer(server);
  if (survivor) log.info({ pid: survivor.pid }, 'The database of a killed gateway goes on');
  const running: Server = survivor ?? (await startServer(server));
  const watch = new ServerMonitor({ server, running, log, onLost });
  try {
    await prepareDatabase(socketFolder, survivor !== undefined);
  } catch (error) {
    await watch.stop();
    throw error;
  }
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await watch.stop();
    await removeSocketFolder(dataDir, socketFolder);
    await lock.release();
  };
  return {
    connection: connectionAt(socketFolder),
    adopted: survivor !== undefined,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Our user is no superuser, so SQL that should never have run cannot reach files or programs. */
async function prepareDatabase(host: string, adopted: boolean): Promise<void> {
  const admin = new pg.Client({ host, port: SOCKET_PORT, user: 'postgres', database: 'postgres' });
  await admin.connect();
  try {
    if (adopted) {
      // What the dead gateway began still runs until the server misses its client.
      await admin.query(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      );
    }
    const role = await admin.query('select from pg_roles where rolname = $1', [NAME]);
    if (role.rowCount === 0) await admin.query(`create role ${NAME} login`);
    const database = await admin.query('select from pg_database where datname = $1', [NAME]);
    if (database.rowCount === 0) await admin.query(`create database ${NAME} owner ${NAME}`);
  } finally {
    await admin.end();
  }
}
