import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../../config/start-error.js';
import { isBeaconAlive, openBeacon, removeBeacon } from './lock-beacon.js';
import { isSameBoot, processStart } from './process-identity.js';

/** Held for as long as a gateway uses a data folder. */
export interface FolderLock {
  release(): Promise<void>;
}

const TOUCH_MS = 5_000;
/** A gateway of another machine, whose pids and sockets say nothing here, is dead after this. */
const SILENT_MS = 15_000;
const LOOK_MS = 100;
const CLAIM_MS = 2_000;
const PATIENCE_MS = 10_000;

/**
 * Takes the folder for this process: one gateway at a time. What a killed gateway left is taken
 * over, whoever has its pid by now.
 * @throws {StartError} when a live gateway holds it.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'gateway.lock');
  // It is lit before the lock can be seen, so that a lock with a dark beacon is a dead process's.
  const beacon = await openBeacon(folder);
  const start = processStart(process.pid) ?? '';
  const own = `${process.pid}\n${start}\n${hostname()}\n${beacon.name}\n`;
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, own, { mode: 0o600 });
    await take(path, draft);
  } catch (error) {
    await beacon.close();
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
      if ((await readIfThere(path)) === own) await rm(path, { force: true });
      await beacon.close();
    },
  };
}

async function take(path: string, draft: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    if (await linkIfFree(draft, path)) return;
    const holder = await readIfThere(path);
    if (holder === undefined) continue; // released just now
    if (await isAlive(path, holder)) throw inUse(path, holder);
    if (await takeOver(path, draft, holder)) return;
    if (Date.now() > deadline) throw inUse(path, holder);
    await sleep(50);
  }
}

/**
 * Replaces a dead holder's lock. Two gateways may find it dead at once: the claim, named after what
 * they found, goes to one of them, and is worth something only while that is still what is there.
 */
async function takeOver(path: string, draft: string, holder: string): Promise<boolean> {
  const claim = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`;
  await utimes(draft, new Date(), new Date()); // waiting has made it old, and its age is looked at
  if (!(await linkIfFree(draft, claim))) {
    const age = await stat(claim).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > CLAIM_MS) await rm(claim, { force: true }); // who made it was killed in this moment
    return false;
  }
  const unchanged = (await readIfThere(path)) === holder;
  if (unchanged) {
    await rename(draft, path);
    await removeBeacon(dirname(path), beaconOf(holder));
  }
  await rm(claim, { force: true });
  return unchanged;
}

async function isAlive(path: string, holder: string): Promise<boolean> {
  const [pid, start = '', host] = holder.split('\n');
  // Pids mean nothing in another container, not even under the same host name; sockets do.
  if (isSameBoot(start)) {
    const isLit = await isBeaconAlive(dirname(path), beaconOf(holder));
    if (isLit !== undefined) return isLit;
  }
  if (host === hostname()) return processStart(Number(pid)) === (start || undefined);
  const seen = await touchedAt(path);
  for (;;) {
    const touched = await touchedAt(path);
    if (touched !== seen) return touched > 0;
    if (Date.now() - touched > SILENT_MS) return false;
    await sleep(LOOK_MS);
  }
}

/** Empty in the locks of older versions. */
function beaconOf(holder: string): string {
  return holder.split('\n')[3] ?? '';
}

/** 0 when it is gone. */
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

/** A hard link is made only where nothing is, and with its content: nobody reads half a lock. */
async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
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
  // a lock that cannot be touched (full disk, folder gone) still holds on this machine
}
