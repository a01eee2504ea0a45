import { spawn } from 'node:child_process';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../../config/start-error.js';
import { explainStartupError } from './explain-startup-error.js';
import { commandLine, processStart } from './process-identity.js';
import { asUser, type ServerUser } from './server-user.js';
import { SOCKET_PORT } from './socket-folder.js';

const POLL_MS = 10;
/** Limit of crash recovery, which replays at most `max_wal_size`. */
const START_TIMEOUT_MS = 120_000;
/** After a crash, children of the last server exit within this time; until then a start fails. */
const ORPHANS_TIMEOUT_MS = 10_000;
const ORPHANS_RETRY_MS = 100;
const MAX_LOG_BYTES = 1_000_000;
/** Fast shutdown, immediate shutdown, kill. None of them loses a committed transaction. */
const STOP_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** Sized for one small machine that runs speech models as well. Durability stays complete. */
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
  // Errors and statements can quote transcripts, so they stay out of the log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

export interface ServerOptions {
  readonly bin: string;
  /** Folder of the database files, without links. */
  readonly data: string;
  readonly socketFolder: string;
  readonly logFile: string;
  readonly user: ServerUser | undefined;
  readonly maxConnections: number;
}

/** A running PostgreSQL. The start time distinguishes it from a later process with its pid. */
interface Server {
  readonly pid: number;
  readonly start: string;
}

/** A PostgreSQL that this process has started. */
export interface OwnServer extends Server {
  /** Resolves when the server has ended for any reason. */
  readonly exited: Promise<void>;
}

/**
 * Stops the server of a killed gateway. Call this before `startServer`.
 *
 * If `postmaster.pid` remains, the pid in it is replaced by an
 * unused one: PostgreSQL would refuse to start beside a live process with that pid, and in a
 * container the next server often gets the same pid. The rest of the file stays, because PostgreSQL
 * needs it to wait for the last server's children.
 */
export async function stopLeftoverServer(data: string): Promise<void> {
  const running = await readPidFile(data);
  if (!running) return;
  const { pid } = running;
  const start = processStart(pid);
  if (start !== undefined && commandLine(pid).includes(` -D ${data} `)) {
    await stopServer({ pid, start });
  }
  // A server that is killed leaves its file.
  const left = await readPidFile(data);
  if (left) await writeFile(left.path, left.text.replace(/^\d+/, '2147483647'));
}

/** Starts a server and waits until it accepts connections. @throws {StartError} */
export async function startServer(options: ServerOptions): Promise<OwnServer> {
  const deadline = Date.now() + ORPHANS_TIMEOUT_MS;
  for (;;) {
    const outcome = await tryToStart(options);
    if (typeof outcome !== 'string') return outcome;
    const hasOrphans = /still in use|already exists|in use by/.test(outcome);
    if (!hasOrphans || Date.now() > deadline) {
      throw explainStartupError('does not start', outcome, options.logFile);
    }
    await sleep(ORPHANS_RETRY_MS);
  }
}

/** Stops a server, by force if necessary. @throws {StartError} if it still runs */
export async function stopServer(server: Server): Promise<void> {
  for (const [signal, timeoutMs] of STOP_STEPS) {
    if (!isRunning(server)) return;
    sendSignal(server.pid, signal);
    const deadline = Date.now() + timeoutMs;
    while (isRunning(server) && Date.now() < deadline) await sleep(POLL_MS);
  }
  if (isRunning(server)) {
    throw new StartError(
      `The database server (process ${server.pid}) cannot be stopped: end it with "kill -9 ${server.pid}".`,
    );
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to another user. The caller checks whether it still runs.
  }
}

function isRunning({ pid, start }: Server): boolean {
  return processStart(pid) === start;
}

/** Returns the server, or the output of one that failed. */
async function tryToStart(options: ServerOptions): Promise<OwnServer | string> {
  const { logFile, data, user } = options;
  const logged = await stat(logFile).catch(() => undefined);
  if (logged && logged.size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  try {
    const offset = (await log.stat()).size;
    let failure: string | undefined;
    // Detached: Ctrl-C and signals to the process group must not stop it before the last write.
    const child = spawn(join(options.bin, 'postgres'), serverArguments(options), {
      ...asUser(user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    child.on('error', (error) => {
      failure = error.message;
    });
    const exited = new Promise<void>((resolve) => {
      child.on('exit', (code, signal) => {
        failure = `it ended with ${code ?? signal}`;
        resolve();
      });
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (failure === undefined && Date.now() < deadline) {
      const pidFile = await readPidFile(data);
      const start = pidFile && processStart(pidFile.pid);
      if (pidFile?.isReady && pidFile.pid === child.pid && start) {
        return { pid: child.pid, start, exited };
      }
      await sleep(POLL_MS);
    }
    if (failure === undefined) child.kill('SIGQUIT');
    const output = (await readFile(logFile)).subarray(offset).toString('utf8').slice(-4_000);
    return output.trim() || failure || `it was not ready after ${START_TIMEOUT_MS / 1_000} s`;
  } finally {
    await log.close();
  }
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
