import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { coverageEnv } from './run-node.js';
import { ServerProcess } from './server-process.js';
import { makeTestFolder } from './test-folder.js';

/** The entry point of the gateway. */
export const MAIN = fileURLToPath(new URL('../../../../src/main.js', import.meta.url));
/** The launcher that `npm start` runs with the argument `start`. */
export const LAUNCHER = fileURLToPath(
  new URL('../../../../../scripts/launch.mjs', import.meta.url),
);

/** Environment variables that the product inherits; its settings come from the test only. */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_.*|TZ|TMPDIR|XDG_.*|PARLEY_CACHE|MODELS_.*|PIP_.*|.*_PROXY)$/i;
const READY_WITHIN_MS = 120_000;
const PORT_IS_TAKEN = 'another program uses the port';
const MAX_ATTEMPTS = 3;
/** The gateway's own limit is 14 s; a busy machine needs longer. */
const STOP_WITHIN_MS = 60_000;

export interface Product {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The first account's API key. */
  readonly apiKey: string;
  readonly dataDir: string;
  /** Process ID of the gateway. */
  readonly pid: number;
  /** Output of the gateway, at most the last 1,000,000 characters. */
  logs(): string;
  /** Kills the gateway only: database and data stay, as after a crash. */
  kill(): Promise<void>;
  /**
   * Stops the gateway, then its database. Removes the data folder unless it was passed as an
   * option.
   * @returns the gateway's exit code; undefined if it had been killed
   * @throws if the gateway takes more than a minute
   */
  stop(): Promise<number | undefined>;
}

export interface ProductOptions {
  /** Settings other than PORT, HOST and DATA_DIR. */
  readonly env?: Readonly<Record<string, string>>;
  /** Existing data folder. Default: a new folder. */
  readonly dataDir?: string;
  readonly readyWithinMs?: number;
  /** Arguments of Node. Default: `MAIN`. */
  readonly program?: readonly string[];
}

/** Starts the built product on a free loopback port and waits until it is ready. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnPort(options);
    } catch (error) {
      // Another program may take the port before the gateway listens on it.
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

/** The product's environment: inherited variables and `settings`. */
export function productEnv(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const machine = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return { ...Object.fromEntries(machine), ...coverageEnv(), HOST: '127.0.0.1', ...settings };
}

/** Removes a data folder and stops its database, which a killed gateway leaves running. */
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
