import type { Logger } from 'pino';
import { StartError } from '../../../config/start-error.js';
import {
  isRunning,
  type Server,
  type ServerOptions,
  startServer,
  stopServer,
} from './server-process.js';

/** A check reads two files of /proc on Linux, and starts `ps` elsewhere. */
const CHECK_MS = process.platform === 'linux' ? 1_000 : 5_000;
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

export interface ServerMonitorOptions {
  readonly server: ServerOptions;
  readonly running: Server;
  readonly log: Logger;
  readonly onLost?: ((error: StartError) => void) | undefined;
}

/** Owns the running server: restarts it when it dies, at most 5 times per minute, and stops it. */
export class ServerMonitor {
  readonly #options: ServerMonitorOptions;
  #running: Server;
  #restarts: number[] = [];
  #restarting: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ServerMonitorOptions) {
    this.#options = options;
    this.#running = options.running;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#restarting;
    await stopServer(this.#running);
  }

  #check(): void {
    if (this.#restarting || isRunning(this.#running)) return;
    this.#restarting = this.#restart().finally(() => {
      this.#restarting = undefined;
    });
  }

  async #restart(): Promise<void> {
    const { log, server } = this.#options;
    const now = Date.now();
    this.#restarts = this.#restarts.filter((at) => now - at < RESTART_WINDOW_MS);
    this.#restarts.push(now);
    if (this.#restarts.length > MAX_RESTARTS) {
      this.#giveUp(
        new StartError(
          `The database died ${MAX_RESTARTS} times in a minute: see ${server.logFile}.`,
        ),
      );
      return;
    }
    log.warn({ pid: this.#running.pid }, 'The database died and is started again');
    try {
      this.#running = await startServer(server);
    } catch (error) {
      this.#giveUp(error instanceof StartError ? error : new StartError(String(error)));
    }
  }

  #giveUp(error: StartError): void {
    clearInterval(this.#timer);
    this.#options.onLost?.(error);
  }
}
