import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import type { ExtractionBounds, ExtractionJob, ExtractionReply } from './extraction.js';
import { spawnIsolated } from './spawn-isolated.js';

const HEAP_MB = 256;
/** Between checks, a zip bomb inflates some tens of megabytes. */
const MEMORY_CHECK_MS = 25;
/** Lifetime of an idle process. */
const IDLE_MS = 20_000;
const PAGE_BYTES = 4_096;

/**
 * Extracts text from one document at a time in a low-priority child process without settings and
 * secrets. Kills and replaces the process if a document takes too long or too much memory.
 */
export class ExtractionProcess {
  readonly #bounds: ExtractionBounds;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(bounds: ExtractionBounds) {
    this.#bounds = bounds;
  }

  async extract({ kind, bytes }: Omit<ExtractionJob, 'limits'>): Promise<ExtractionReply> {
    clearTimeout(this.#idle);
    const child = this.#start();
    let fault = 'The document cannot be read';
    const endFor = (reason: string) => {
      fault = reason;
      this.end();
    };
    const { timeoutMs, limits } = this.#bounds;
    const late = setTimeout(() => endFor('Reading the document takes too long'), timeoutMs);
    const watch = setInterval(() => {
      void this.#isTooLarge(child).then(
        (is) => is && endFor('Reading the document takes too much memory'),
      );
    }, MEMORY_CHECK_MS);
    const reply = await waitForReply(child, { kind, bytes, limits });
    clearTimeout(late);
    clearInterval(watch);
    this.#idle = setTimeout(() => this.end(), IDLE_MS);
    return reply ?? { ok: false, reason: fault };
  }

  /** Kills the process. The next document starts another one. */
  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #start(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = spawnIsolated('./extraction.child.js', HEAP_MB);
    // `exit` reports failures.
    child.on('error', () => undefined);
    if (child.pid !== undefined) lowerPriority(child.pid);
    this.#child = child;
    return child;
  }

  /** Checks the resident memory (Linux only), as V8 does not bound buffers. */
  async #isTooLarge({ pid }: ChildProcess): Promise<boolean> {
    if (process.platform !== 'linux') return false;
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
    return Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES > this.#bounds.memoryBytes;
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended; `waitForReply` reports it.
  }
}

/** The reply; undefined if the process ended without one. */
function waitForReply(
  child: ChildProcess,
  job: ExtractionJob,
): Promise<ExtractionReply | undefined> {
  return new Promise((resolve) => {
    const settle = (reply: ExtractionReply | undefined) => {
      child.off('message', onMessage);
      child.off('exit', onEnd);
      child.off('error', onEnd);
      resolve(reply);
    };
    const onMessage = (message: unknown) => settle(message as ExtractionReply);
    const onEnd = () => settle(undefined);
    child.on('message', onMessage);
    child.on('exit', onEnd);
    child.on('error', onEnd);
    child.send(job, (error) => error && onEnd());
  });
}
