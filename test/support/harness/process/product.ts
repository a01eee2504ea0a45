import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { coverageEnv } from './run-node.js';
import { ServerProcess } from './server-process.js';
import { makeTestFolder } from './test-folder.js';

/** The program that `npm start` ends in. */
export const MAIN = fileURLToPath(new URL('../../../../src/main.js', import.meta.url));
/** What `npm start` calls; its argument is `start`. */
export const LAUNCHER = fileURLToPath(
  new URL('../../../../../scripts/launch.mjs', import.meta.url),
);

/** What of our own environment the product may see; its settings come from the test alone. */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_.*|TZ|TMPDIR|XDG_.*|PARLEY_CACHE|MODELS_.*|PIP_.*|.*_PROXY)$/i;
const READY_WITHIN_MS = 120_000;
const PORT_IS_TAKEN = 'another program listens there';
const MAX_ATTEMPTS = 3;
/** It gives itself 14 s; on a busy machine they are longer. */
const STOP_WITHIN_MS = 60_000;

export interface Product {
  /** As in `http://127.0.0.1:41234`. */
  readonly url: string;
  /** The first account's key. */
  readonly apiKey: string;
  readonly dataDir: string;
  /** The gateway's process. */
  readonly pid: number;
  /** All that the gateway printed. */
  logs(): string;
  /** Kills the gateway alone: the database and the data stay, as after a crash. */
  kill(): Promise<void>;
  /**
   * Ends the gateway in order, then whatever is left of it; a data folder that it was not given is
   * removed. Gives the gateway's exit code; undefined if it had been killed.
   * @throws if the gateway takes more than a minute.
   */
  stop(): Promise<number | undefined>;
}

export interface ProductOptions {
  /** Settings, beside PORT, HOST and DATA_DIR. */
  readonly env?: Readonly<Record<string, string>>;
  /** To start on data that are there; else a fresh folder is made. */
  readonly dataDir?: string;
  readonly readyWithinMs?: number;
  /** What Node runs, by default MAIN. */
  readonly program?: readonly string[];
}

/** Starts the built product on a free port of the loopback and waits until it is ready. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnPort(options);
    } catch (error) {
      // Others may have taken its port before it listened there.
      if (tries === MAX_ATTEMPTS || !String(error).includes(PORT_IS_TAKEN)) throw error;
    }
  }
}

async function startOnPort(options: ProductOptions): Promise<Product> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = options.dataDir ?? makeTestFolder();
  const tidyUp = () => (options.dataDir ? stopDatabase(dataDir) : removeDataDir(dataDir));
  let gateway: ServerProcess;
  try {
    gateway = await ServerProcess.start({
      command: process.execPath,
      args: options.program ?? [MAIN],
      env: productEnv({ PORT: String(port), DATA_DIR: dataDir, ...options.env }),
      readyUrl: `${url}/readyz`,
      readyLine: 'Parley is ready: ',
      readyWithinMs: options.readyWithinMs ?? READY_WITHIN_MS,
    });
  } catch (error) {
    await tidyUp();
    throw error;
  }
  let isKilled = false;
  return {
    url,
    dataDir,
    apiKey: readFileSync(join(dataDir, 'api-key'), 'utf8').trim(),
    pid: gateway.pid,
    logs: () => gateway.logs(),
    kill: async () => {
      isKilled = true;
      await gateway.kill();
    },
    stop: async () => {
      try {
        return isKilled ? undefined : await gateway.stop(STOP_WITHIN_MS);
      } finally {
        await tidyUp();
      }
    },
  };
}

/** The product's environment: the machine's, and these settings. */
export function productEnv(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const machine = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return { ...Object.fromEntries(machine), ...coverageEnv(), HOST: '127.0.0.1', ...settings };
}

/** Removes a data folder and stops the database in it, if a killed gateway left one. */
export async function removeDataDir(dataDir: string): Promise<void> {
  await stopDatabase(dataDir);
  const link = join(dataDir, 'postgres');
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true, force: true, maxRetries: 5 });
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

async function stopDatabase(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, 'postgres/postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  signalIfThere(pid, 'SIGINT');
  for (let waited = 0; existsSync(pidFile) && waited < 60_000; waited += 50) {
    if (!signalIfThere(pid, 0)) return;
    await sleep(50);
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
