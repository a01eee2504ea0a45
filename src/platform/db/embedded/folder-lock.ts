import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../../config/start-error.js';
import { isSocketOwnerAlive, openLivenessSocket, removeLivenessSocket } from './liveness-socket.js';
import { isSameBoot, processStart } from './process-identity.js';

/** Held while a gateway uses a data folder. */
export interface FolderLock {
  release(): Promise<void>;
}

const TOUCH_MS = 5_000;
/** A gateway on another machine is dead if it has not touched the lock for this time. */
const HEARTBEAT_TIMEOUT_MS = 15_000;
const HEARTBEAT_POLL_MS = 100;
/** If a process claims a dead lock for longer, it was killed. */
const CLAIM_TIMEOUT_MS = 2_000;
const TAKE_TIMEOUT_MS = 10_000;
const TAKE_RETRY_MS = 50;

/**
 * Locks a folder for this process. The lock of a dead gateway is replaced, even if another process
 * has its pid now.
 *
 * `gateway.lock` holds the pid, the start time and the host name of the process and the name of its
 * liveness socket. On the same kernel the socket decides whether the holder is alive. Without a
 * socket the pid and start time decide, and for another host the modification time of the lock,
 * which its holder updates every 5 s.
 * @throws {StartError} if a live gateway holds the lock
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'gateway.lock');
  // The socket opens before the lock is visible, so a lock with a closed socket has a dead holder.
  const socket = await openLivenessSocket(folder);
  const start = processStart(process.pid) ?? '';
  const own = `${process.pid}\n${start}\n${hostname()}\n${socket.name}\n`;
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, own, { mode: 0o600 });
    await take(path, draft);
  } catch (error) {
    await socket.close();
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const touch = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(ignore),
    TOUCH_MS,
  );
  touch.unref();
  return {
    async release() {
      clearInterval(touch);
      if ((await readIfPresent(path)) === own) await rm(path, { force: true });
      await socket.close();
    },
  };
}

async function take(path: string, draft: string): Promise<void> {
  const deadline = Date.now() + TAKE_TIMEOUT_MS;
  for (;;) {
    if (await linkIfFree(draft, path)) return;
    const holder = await readIfPresent(path);
    if (holder === undefined) continue; // It has just been released.
    if (await isAlive(path, holder)) throw inUse(path, holder);
    if (await takeOver(path, draft, holder)) return;
    if (Date.now() > deadline) throw inUse(path, holder);
    await sleep(TAKE_RETRY_MS);
  }
}

/**
 * Replaces the lock of a dead holder. Two gateways may find it dead at the same time: one of them
 * creates the claim, which is named after the old lock's content, and replaces the lock only if that
 * content is unchanged.
 */
async function takeOver(path: string, draft: string, holder: string): Promise<boolean> {
  const claim = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`;
  await utimes(draft, new Date(), new Date()); // the age of a claim counts from here
  if (!(await linkIfFree(draft, claim))) {
    const age = await stat(claim).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > CLAIM_TIMEOUT_MS) await rm(claim, { force: true });
    return false;
  }
  const unchanged = (await readIfPresent(path)) === holder;
  if (unchanged) {
    await rename(draft, path);
    await removeLivenessSocket(dirname(path), socketOf(holder));
  }
  await rm(claim, { force: true });
  return unchanged;
}

async function isAlive(path: string, holder: string): Promise<boolean> {
  const [pid, start = '', host] = holder.split('\n');
  // Other containers have other pids, even under the same host name, but the same kernel.
  if (isSameBoot(start)) {
    const alive = await isSocketOwnerAlive(dirname(path), socketOf(holder));
    if (alive !== undefined) return alive;
  }
  if (host === hostname()) return processStart(Number(pid)) === (start || undefined);
  const first = await touchedAt(path);
  for (;;) {
    const touched = await touchedAt(path);
    if (touched !== first) return touched > 0;
    if (Date.now() - touched > HEARTBEAT_TIMEOUT_MS) return false;
    await sleep(HEARTBEAT_POLL_MS);
  }
}

function socketOf(holder: string): string {
  return holder.split('\n')[3] ?? '';
}

/** Modification time in ms since 1970; 0 if the file is gone. */
function touchedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function inUse(path: string, holder: string): StartError {
  const [pid, , host] = holder.split('\n');
  const where = host === hostname() ? '' : ` on ${host}`;
  return new StartError(
    `Another Parley (process ${pid}${where}) uses this data folder (${path}): stop it, or set DATA_DIR to another folder.`,
  );
}

/** A hard link never replaces a file and appears with its content, so no reader sees half a lock. */
async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function ignore(): void {
  // A lock that cannot be touched (full disk, folder gone) still holds on this machine.
}
