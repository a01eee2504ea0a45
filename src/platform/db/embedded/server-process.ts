import { spawn } from 'node:child_process';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../../config/start-error.js';
import { explainStartupError } from './explain-startup-error.js';
import { commandLine, processStart } from './process-identity.js';
import { asUser, type ServerUser } from './server-user.js';
import { SOCKET_PORT } from './socket-folder.js';

const POLL_MS = 10;
/** Replaying the log of at most `max_wal_size` after a crash; then there is something wrong. */
const START_MS = 120_000;
/** The last server's orphans notice its death and go; until then the folder is refused. */
const ORPHANS_MS = 10_000;
const LOG_LIMIT_BYTES = 1_000_000;
/** From polite to certain; even SIGKILL loses nothing that was committed. */
const STOP_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** For one small machine that hears calls at the same time; durability is never traded. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_permissions: '0700',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  io_method: 'sync',
  max_parallel_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '1',
  jit: 'off',
  client_connection_check_interval: '5s',
  timezone: 'UTC',
  // Errors and statements quote what callers said and wrote, so they stay out of the log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

export interface ServerOptions {
  readonly bin: string;
  /** The database's files. */
  readonly data: string;
  readonly socketFolder: string;
  readonly logFile: string;
  readonly user: ServerUser | undefined;
  readonly maxConnections: number;
}

/** One running PostgreSQL; the start tells it from a later process with its pid. */
export interface Server {
  readonly pid: number;
  readonly start: string;
}

/** Looks for a server that survived its gateway: one like ours is kept, any other is stopped. */
export async function adoptServer(options: ServerOptions): Promise<Server | undefined> {
  const survivor = await findSurvivor(options.data);
  if (!survivor) return undefined;
  const isLikeOurs = survivor.command === [program(options), ...serverArguments(options)].join(' ');
  if (isLikeOurs && (await answers(options.socketFolder))) return survivor.server;
  await stopServer(survivor.server);
  return undefined;
}

/** Stops the server that survived its gateway, if one did. */
export async function stopSurvivor(data: string): Promise<void> {
  const survivor = await findSurvivor(data);
  if (survivor) await stopServer(survivor.server);
}

async function findSurvivor(
  data: string,
): Promise<{ readonly server: Server; readonly command: string } | undefined> {
  const pidFile = await readPidFile(data);
  if (!pidFile) return undefined;
  const { pid } = pidFile;
  const start = processStart(pid);
  const command = commandLine(pid);
  if (start === undefined || !command.includes(` -D ${data} `)) {
    // PostgreSQL would balk at another process that has the pid by now; and the next server may get it (in a
    // container pids come again), whom the dead one's "ready" would then be taken for. Only the pid goes: by
    // the rest of the file PostgreSQL makes sure that the last server's children have left its memory.
    await writeFile(pidFile.path, pidFile.text.replace(/^\d+/, '2147483647'));
    return undefined;
  }
  return { server: { pid, start }, command };
}

/** Starts a server and waits until it takes connections. @throws {StartError} */
export async function startServer(options: ServerOptions): Promise<Server> {
  const deadline = Date.now() + ORPHANS_MS;
  for (;;) {
    const outcome = await tryToStart(options);
    if (typeof outcome !== 'string') return outcome;
    const isEarly = /still in use|already exists|in use by/.test(outcome);
    if (!isEarly || Date.now() > deadline) {
      throw explainStartupError('does not start', outcome, options.logFile);
    }
    await sleep(100);
  }
}

/** Ends a server for good, by force if it does not go. @throws {StartError} */
export async function stopServer(server: Server): Promise<void> {
  for (const [signal, patienceMs] of STOP_STEPS) {
    if (!isRunning(server)) return;
    sendSignal(server.pid, signal);
    const deadline = Date.now() + patienceMs;
    while (isRunning(server) && Date.now() < deadline) await sleep(POLL_MS);
  }
  if (isRunning(server)) {
    throw new StartError(
      `The database server (process ${server.pid}) cannot be stopped: end it by hand.`,
    );
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in this moment, or is not ours to end: whether it still runs is looked at next.
  }
}

export function isRunning({ pid, start }: Server): boolean {
  return processStart(pid) === start;
}

/** @returns the server, or what it said when it failed. */
async function tryToStart(options: ServerOptions): Promise<Server | string> {
  const { logFile, data, user } = options;
  const logged = await stat(logFile).catch(() => undefined);
  if (logged && logged.size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  try {
    const offset = (await log.stat()).size;
    let failure: string | undefined;
    // Detached: Ctrl-C and a signal to our group must not stop it before our last write.
    const child = spawn(program(options), serverArguments(options), {
      ...asUser(user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    child.on('error', (error) => {
      failure = error.message;
    });
    child.on('exit', (code, signal) => {
      failure = `it ended with ${code ?? signal}`;
    });
    const deadline = Date.now() + START_MS;
    while (failure === undefined && Date.now() < deadline) {
      const pidFile = await readPidFile(data);
      const start = pidFile && processStart(pidFile.pid);
      if (pidFile?.isReady && pidFile.pid === child.pid && start) return { pid: child.pid, start };
      await sleep(POLL_MS);
    }
    if (failure === undefined) child.kill('SIGQUIT');
    const said = (await readFile(logFile)).subarray(offset).toString('utf8').slice(-4_000);
    return said.trim() || failure || `it was not ready after ${START_MS / 1_000} s`;
  } finally {
    await log.close();
  }
}

function program({ bin }: ServerOptions): string {
  return join(bin, 'postgres');
}

function serverArguments({ data, socketFolder, maxConnections }: ServerOptions): string[] {
  const settings = {
    ...SETTINGS,
    max_connections: String(maxConnections),
    unix_socket_directories: socketFolder,
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, v]) => ['-c', `${name}=${v}`])];
}

/** Source: PostgreSQL's miscadmin.h: line 1 is the pid, line 8 the state. */
async function readPidFile(data: string) {
  const path = join(data, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { path, text, pid, isReady: lines[7]?.trim() === 'ready' };
}

async function answers(socketFolder: string): Promise<boolean> {
  const deadline = Date.now() + ORPHANS_MS;
  for (;;) {
    const client = new pg.Client({
      host: socketFolder,
      port: SOCKET_PORT,
      user: 'postgres',
      database: 'postgres',
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', () => undefined); // told by connect as well
    const outcome = await client.connect().then(
      () => 'yes',
      (error) => String(error.code),
    );
    await client.end().catch(() => undefined);
    const isStarting = outcome === '57P03' && Date.now() < deadline;
    if (!isStarting) return outcome === 'yes';
    await sleep(100);
  }
}
