import type { Logger } from 'pino';
import { StartError } from '../../../config/start-error.js';
import { type OwnServer, type ServerOptions, startServer, stopServer } from './server-process.js';

const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

export interface ServerMonitorOptions {
  readonly server: ServerOptions;
  readonly running: OwnServer;
  readonly log: Logger;
  readonly onLost?: ((error: StartError) => void) | undefined;
}

/** Owns the running server: restarts it when it dies, at most 5 times per minute, and stops it. */
export class ServerMonitor {
  readonly #options: ServerMonitorOptions;
  #running: OwnServer;
  #restarts: number[] = [];
  #restarting: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: ServerMonitorOptions) {
    this.#options = options;
    this.#running = options.running;
    this.#restartOnExit();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#restarting;
    await stopServer(this.#running);
  }

  #restartOnExit(): void {
    void this.#running.exited.then(() => {
      if (!this.#isStopping) this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    const { log, server } = this.#options;
    const now = Date.now();
    this.#restarts = this.#restarts.filter((at) => now - at < RESTART_WINDOW_MS);
    this.#restarts.push(now);
    if (this.#restarts.length > MAX_RESTARTS) {
      this.#options.onLost?.(
        new StartError(
          `The embedded database died ${MAX_RESTARTS} times in a minute: see ${server.logFile}.`,
        ),
      );
      return;
    }
    log.warn({ pid: this.#running.pid }, 'The embedded database died: it is restarted');
    try {
      this.#running = await startServer(server);
      this.#restartOnExit();
    } catch (error) {
      this.#options.onLost?.(error instanceof StartError ? error : new StartError(String(error)));
    }
  }
}
