import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortError, isFileError } from '../errors.js';

/** Interval at which the owner renews the time of its lock. The owner of a lock older than STALE_MS has died. */
const RENEW_MS = 2_000;
const STALE_MS = 20_000;
const POLL_MS = 200;

/**
 * Runs `work` under a lock file, so that two processes do not fetch the same model at once. The lock of a
 * process that died is removed: at once on the same machine, after 20 s on another.
 * @param options.onWait - called once if another process has the lock
 * @throws MediaError ABORTED when the signal fires during the wait
 */
export async function withLock<Result>(
  lockFile: string,
  options: { readonly signal?: AbortSignal | undefined; readonly onWait?: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(dirname(lockFile), { recursive: true });
  let hasWaited = false;
  while (!(await tryLock(lockFile))) {
    if (options.signal?.aborted) throw abortError();
    if (await isStale(lockFile)) {
      await breakLock(lockFile);
      continue;
    }
    if (!hasWaited) options.onWait?.();
    hasWaited = true;
    await sleep(POLL_MS);
  }
  const renewal = setInterval(() => {
    const now = new Date();
    // If another process has taken the lock meanwhile, no harm is done: models are installed by one rename.
    utimes(lockFile, now, now).catch(() => undefined);
  }, RENEW_MS);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await rm(lockFile, { force: true });
  }
}

async function tryLock(lockFile: string): Promise<boolean> {
  try {
    const handle = await open(lockFile, 'wx');
    await handle.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }));
    await handle.close();
    return true;
  } catch (error) {
    if (isFileError(error, 'EEXIST')) return false;
    throw error;
  }
}

async function isStale(lockFile: string): Promise<boolean> {
  const found = await stat(lockFile).catch(() => undefined);
  if (!found) return false;
  if (Date.now() - found.mtimeMs > STALE_MS) return true;
  const text = await readFile(lockFile, 'utf8').catch(() => '');
  const owner = /^\{"pid":(\d+),"host":"([^"]*)"\}$/.exec(text);
  return owner?.[2] === hostname() && !isAlive(Number(owner[1]));
}

/** Removes a stale lock. If two processes find it, only one of them can rename it. */
async function breakLock(lockFile: string): Promise<void> {
  const aside = `${lockFile}.${randomUUID()}`;
  try {
    await rename(lockFile, aside);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return;
    throw error;
  }
  // Another process may have replaced the lock between the check and the rename.
  if (!(await isStale(aside))) await link(aside, lockFile).catch(() => undefined);
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isFileError(error, 'EPERM');
  }
}
