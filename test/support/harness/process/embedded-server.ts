import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processStart } from '../../../../src/platform/db/embedded/process-identity.js';

const WRITER = fileURLToPath(new URL('../../programs/database-writer.js', import.meta.url));

/** Runs database-writer.ts on a data folder. */
export class DatabaseWriter {
  readonly #child: ChildProcess;
  #said = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (text) => {
      this.#said += text;
    });
  }

  static async start(dataDir: string): Promise<DatabaseWriter> {
    const child = spawn(process.execPath, [WRITER, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const writer = new DatabaseWriter(child);
    while (!writer.#said.startsWith('ready\n')) {
      if (child.exitCode !== null) throw new Error(`The writer ended with ${child.exitCode}`);
      await sleep(5);
    }
    return writer;
  }

  /** The acknowledged numbers, without an incomplete last line. */
  get acknowledged(): number[] {
    return this.#said.split('\n').slice(1, -1).map(Number);
  }

  async hasWritten(count: number): Promise<void> {
    while (this.acknowledged.length < count) {
      if (this.#child.exitCode !== null) throw new Error('The writer ended');
      await sleep(2);
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }
}

/** The process ID of the database server in a data folder. */
export function serverPid(dataDir: string): number {
  return Number(pidFileLines(dataDir)[0]);
}

/** Whether the data folder's server runs and accepts connections. */
export function isServerReady(dataDir: string): boolean {
  const [pid, , , , , , , state] = pidFileLines(dataDir);
  return state?.trim() === 'ready' && processStart(Number(pid)) !== undefined;
}

/** Empty if there is no server. */
function pidFileLines(dataDir: string): string[] {
  try {
    return readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    // A starting server may remove the file of its predecessor at any moment.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
