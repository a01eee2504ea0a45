import { StartError } from '../../../config/start-error.js';
import type { EmbeddedLog } from './embedded-log.js';
import {
  isRunning,
  type Server,
  type ServerOptions,
  startServer,
  stopServer,
} from './server-process.js';

/** A look is two reads of /proc, but a process elsewhere. */
const LOOK_MS = process.platform === 'linux' ? 250 : 5_000;
const RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

export interface ServerMonitorOptions {
  readonly server: ServerOptions;
  readonly running: Server;
  readonly log: EmbeddedLog;
  readonly onLost?: ((error: StartError) => void) | undefined;
}

/** Owns the running server: starts it again when it dies, a few times a minute, and stops it. */
export class ServerMonitor {
  readonly #options: ServerMonitorOptions;
  #running: Server;
  #restarts: number[] = [];
  #restarting: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ServerMonitorOptions) {
    this.#options = options;
    this.#running = options.running;
    // Looked at, not listened to: an adopted server is not our child, and tells us nothing.
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#restarting;
    await stopServer(this.#running);
  }

  #look(): void {
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
    if (this.#restarts.length > RESTARTS) {
      this.#lose(
        new StartError(`The database died ${RESTARTS} times in a minute: see ${server.logFile}.`),
      );
      return;
    }
    log.warn({ pid: this.#running.pid }, 'The database died and is started again');
    try {
      this.#running = await startServer(server);
    } catch (error) {
      this.#lose(error instanceof StartError ? error : new StartError(String(error)));
    }
  }

  #lose(error: StartError): void {
    clearInterval(this.#timer);
    this.#options.onLost?.(error);
  }
}
