import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../../../../src/config/start-error.js';
import { type FolderLock, lockFolder } from '../../../../src/platform/db/embedded/folder-lock.js';
import { processStart } from '../../../../src/platform/db/embedded/process-identity.js';

const MODULE = new URL('../../../../src/platform/db/embedded/folder-lock.js', import.meta.url).href;

let folder: string;
let holders: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  holders = [];
});
afterEach(async () => {
  for (const holder of holders) holder.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Starts another process that tries to lock the folder, prints the result, and keeps running. */
async function contend(): Promise<{ child: ChildProcess; said: string }> {
  const script = `const { lockFolder } = await import(${JSON.stringify(MODULE)});
    try { await lockFolder(${JSON.stringify(folder)}); console.log('held'); }
    catch (error) { console.log(error.name); }
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  holders.push(child);
  const [said] = await once(child.stdout!, 'data');
  return { child, said: String(said).trim() };
}

async function holdAndRelease(): Promise<void> {
  const lock: FolderLock = await lockFolder(folder);
  await lock.release();
}

function forge(pid: number, start: string, host: string): void {
  writeFileSync(join(folder, 'gateway.lock'), `${pid}\n${start}\n${host}\n`);
}

function touchLock(atMs: number): void {
  const at = new Date(atMs);
  utimesSync(join(folder, 'gateway.lock'), at, at);
}

describe('lockFolder', () => {
  it('refuses a folder that a live process has locked, with its ID and instructions', async () => {
    const { child } = await contend();
    const refusal = lockFolder(folder);
    await expect(refusal).rejects.toThrow(StartError);
    await expect(refusal).rejects.toThrow(
      new RegExp(`Another Parley \\(process ${child.pid}\\).*set DATA_DIR`),
    );
  });

  it('refuses a second lock in the same process', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(StartError);
    await lock.release();
    await holdAndRelease();
  });

  it('takes over the lock of a killed process', async () => {
    const { child } = await contend();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await holdAndRelease();
  });

  it('ignores another process that has the same PID now', async () => {
    forge(process.ppid, 'long ago', hostname());
    await holdAndRelease();
  });

  it('respects a gateway on another machine while its lock is refreshed', async () => {
    forge(1, processStart(1) ?? '', 'elsewhere');
    const refusal = lockFolder(folder);
    // Refreshes repeatedly: a refresh before the first check would not be noticed.
    const touch = setInterval(() => touchLock(Date.now()), 300);
    await expect(refusal).rejects.toThrow(/process 1 on elsewhere/);
    clearInterval(touch);
    touchLock(Date.now() - 14_000);
    await holdAndRelease();
  });

  describe('held by a gateway in another container on this machine', () => {
    /** Makes the lock look as if its owner had another host name and a PID that exists here. */
    function moveHolder(): void {
      const path = join(folder, 'gateway.lock');
      const [, start, , ...more] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, [1, start, 'elsewhere', ...more].join('\n'));
    }

    it('is taken over immediately if that gateway was killed', async () => {
      const { child } = await contend();
      child.kill('SIGKILL');
      await once(child, 'exit');
      moveHolder();
      const startedAt = performance.now();
      await holdAndRelease();
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect(readdirSync(folder)).toEqual([]);
    });

    it('is refused while that gateway lives, even if its lock is not refreshed', async () => {
      await contend();
      moveHolder();
      touchLock(Date.now() - 60_000);
      await expect(lockFolder(folder)).rejects.toThrow(/process 1 on elsewhere/);
    });

    it('is refused under the same host name as well, because its PIDs mean nothing here', async () => {
      await contend();
      const path = join(folder, 'gateway.lock');
      const [, start, ...more] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, ['999999999', start, ...more].join('\n'));
      await expect(lockFolder(folder)).rejects.toThrow(/process 999999999/);
    });
  });

  it('gives the lock of a killed process to one of many that start at the same time', async () => {
    forge(process.ppid, 'long ago', hostname());
    const outcomes = await Promise.all(Array.from({ length: 6 }, contend));
    const said = outcomes.map((outcome) => outcome.said).sort();
    expect(said).toEqual([...Array(5).fill('StartError'), 'held']);
    const holder = outcomes.find((outcome) => outcome.said === 'held');
    const lock = readFileSync(join(folder, 'gateway.lock'), 'utf8');
    expect(lock.split('\n')[0]).toBe(String(holder?.child.pid));
  });

  it('leaves nothing behind', async () => {
    forge(process.ppid, 'long ago', hostname());
    await holdAndRelease();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not release a lock that another process has taken over', async () => {
    const lock = await lockFolder(folder);
    forge(1, 'someone else', hostname());
    await lock.release();
    expect(readdirSync(folder)).toEqual(['gateway.lock']); // and no socket
  });
});
