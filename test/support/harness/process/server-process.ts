import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Responds with 200 when the server is ready. */
  readonly readyUrl: string;
  /** Printed when the server is ready, to distinguish it from another server on the same port. */
  readonly readyLine?: string;
  readonly readyWithinMs: number;
}

const KEPT_CHARACTERS = 1_000_000;

/** A server in a child process that is killed when the test process exits. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #dieWithUs = () => this.#child.kill('SIGKILL');
  #logs = '';

  private constructor({ command, args, env }: ServerOptions) {
    this.#child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#logs = (this.#logs + text).slice(-KEPT_CHARACTERS);
      });
    }
    this.#ended = once(this.#child, 'exit').catch((error: Error) => {
      this.#logs += error.message;
    });
    process.once('exit', this.#dieWithUs);
  }

  /** @throws if the server exits or is not ready in time; the message contains its output */
  static async start(options: ServerOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    let hasEnded = false;
    void server.#ended.then(() => {
      hasEnded = true;
    });
    const deadline = Date.now() + options.readyWithinMs;
    const { readyUrl, readyLine = '' } = options;
    for (;;) {
      const isReady = server.logs().includes(readyLine) && (await answers(readyUrl));
      if (isReady && !hasEnded) return server;
      if (hasEnded || Date.now() > deadline) {
        await server.kill();
        throw new Error(`The server did not become ready:\n${server.logs().slice(-4_000)}`);
      }
      await sleep(50);
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The server's output, at most the last million characters. */
  logs(): string {
    return this.#logs;
  }

  /**
   * Stops the server with a signal.
   * @returns its exit code; 128 if the signal ended it
   * @throws if it does not exit in time; the server is then killed
   */
  async stop(withinMs: number, signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<number> {
    this.#child.kill(signal);
    const timer = new AbortController();
    const isLate = await Promise.race([
      this.#ended.then(() => false),
      sleep(withinMs, true, { signal: timer.signal }),
    ]);
    timer.abort();
    if (isLate) {
      await this.kill();
      throw new Error(`The server did not end within ${withinMs} ms:\n${this.#logs.slice(-4_000)}`);
    }
    process.off('exit', this.#dieWithUs);
    return this.#child.exitCode ?? 128;
  }

  /** Kills the server without cleanup. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    process.off('exit', this.#dieWithUs);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
