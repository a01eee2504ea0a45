import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Answers 200 as soon as the server is ready. */
  readonly readyUrl: string;
  /** What it prints when it is ready: else another server may be what answers. */
  readonly readyLine?: string;
  readonly readyWithinMs: number;
}

const KEPT_CHARACTERS = 1_000_000;

/** A server in a process of its own, which does not outlive the test's. */
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

  /** @throws if the server ends, or is not ready in time; what it printed stands in the message. */
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

  /** All that it printed, up to the last million characters. */
  logs(): string {
    return this.#logs;
  }

  /**
   * Asks it to end and gives its exit code; a code of a signal is 128 and more.
   * @throws if it does not end in time, after killing it.
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

  /** Kills it with no chance to tidy up. */
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
