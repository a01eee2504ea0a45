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

/** Another process that tries to take the folder, prints how that went, and stays. */
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
  it('refuses a folder that a live process holds, and says which and what to do', async () => {
    const { child } = await contend();
    const refusal = lockFolder(folder);
    await expect(refusal).rejects.toThrow(StartError);
    await expect(refusal).rejects.toThrow(
      new RegExp(`Another Parley \\(process ${child.pid}\\).*set DATA_DIR`),
    );
  });

  it('refuses a second holder in the same process', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(StartError);
    await lock.release();
    await holdAndRelease();
  });

  it('takes over from a killed process', async () => {
    const { child } = await contend();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await holdAndRelease();
  });

  it('is not fooled by another process that has the pid by now', async () => {
    forge(process.ppid, 'long ago', hostname());
    await holdAndRelease();
  });

  it('respects a gateway of another machine for as long as it gives signs of life', async () => {
    forge(1, processStart(1) ?? '', 'elsewhere');
    const refusal = lockFolder(folder);
    // Time and again: one that comes before it is looked at says nothing.
    const touch = setInterval(() => touchLock(Date.now()), 300);
    await expect(refusal).rejects.toThrow(/process 1 on elsewhere/);
    clearInterval(touch);
    touchLock(Date.now() - 14_000);
    await holdAndRelease();
  });

  describe('by a gateway of another container on this machine', () => {
    /** Makes the lock look as if its holder had another host name, and a pid that lives here, too. */
    function moveHolder(): void {
      const path = join(folder, 'gateway.lock');
      const [, start, , ...more] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, [1, start, 'elsewhere', ...more].join('\n'));
    }

    it('is taken over at once when that was killed', async () => {
      const { child } = await contend();
      child.kill('SIGKILL');
      await once(child, 'exit');
      moveHolder();
      const startedAt = performance.now();
      await holdAndRelease();
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect(readdirSync(folder)).toEqual([]);
    });

    it('is refused while that lives, whatever its signs of life', async () => {
      await contend();
      moveHolder();
      touchLock(Date.now() - 60_000);
      await expect(lockFolder(folder)).rejects.toThrow(/process 1 on elsewhere/);
    });

    it('is refused under the same host name, too, whose pids say nothing', async () => {
      await contend();
      const path = join(folder, 'gateway.lock');
      const [, start, ...more] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, ['999999999', start, ...more].join('\n'));
      await expect(lockFolder(folder)).rejects.toThrow(/process 999999999/);
    });
  });

  it('lets one of many that start at once take over what a killed one left', async () => {
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

  it('does not give away what another has taken over', async () => {
    const lock = await lockFolder(folder);
    forge(1, 'someone else', hostname());
    await lock.release();
    expect(readdirSync(folder)).toEqual(['gateway.lock']); // and no socket
  });
});
