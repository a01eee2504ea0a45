import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolsFolder } from '../cache-folders.mjs';
import { diskFullSentence } from '../step-failure.mjs';

const STAMP = '.complete';

/**
 * A folder in the cache that is created once. Its name contains a hash of the pins, so other pins
 * create another folder. A stamp marks it as complete, and a lock excludes other clones.
 * @param {string} name
 * @param {readonly string[]} pins
 */
export function keptFolder(name, pins) {
  const hash = createHash('sha256').update(pins.join('\n')).digest('hex').slice(0, 12);
  const folder = () => join(toolsFolder(), `${name}-${hash}`);
  const isComplete = () => existsSync(join(folder(), STAMP));
  return {
    path: folder,
    isComplete,
    /**
     * @param {(folder: string) => Promise<void>} fill fills the empty folder, or throws the reason
     */
    async make(fill) {
      mkdirSync(toolsFolder(), { recursive: true });
      await withLock(`${folder()}.lock`, async () => {
        if (isComplete()) return;
        rmSync(folder(), { recursive: true, force: true });
        mkdirSync(folder());
        await fill(folder());
        writeFileSync(join(folder(), STAMP), `${pins.join('\n')}\n`);
      });
    },
  };
}

/** The reason of a failure, from the end of a program's output. */
export function reasonFrom(what, { code, output }) {
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  return diskFullSentence(output) ?? `${what} ended with ${code}: ${lastLine.slice(0, 300)}`;
}

async function withLock(path, work) {
  while (!tryLock(path)) await sleep(250);
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Takes the lock if it is free or its owner is dead. */
function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const owner = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  if (owner > 0 && !isAlive(owner)) rmSync(path, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
