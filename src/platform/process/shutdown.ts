import type { Logger } from 'pino';

interface Part {
  readonly name: string;
  readonly close: () => Promise<unknown> | unknown;
}

/** Ends a start in progress when a signal requests the shutdown. */
export class StartCancelled extends Error {
  override readonly name = 'StartCancelled';
}

/** Closes everything that was opened, once, in the reverse order. */
export class Shutdown {
  readonly #parts: Part[] = [];
  #closing: Promise<boolean> | undefined;
  #isRequested = false;
  /** Time limit for closing all parts, ms. */
  limitMs: number;
  log: Logger | undefined;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** Registers how to close a part that has just been opened. */
  add(name: string, close: Part['close']): void {
    this.#parts.push({ name, close });
  }

  /** From now on, `throwIfRequested` throws. Closes nothing yet. */
  request(): void {
    this.#isRequested = true;
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Called between the steps of a start. @throws StartCancelled */
  throwIfRequested(): void {
    if (this.#isRequested) throw new StartCancelled();
  }

  /** @returns false if a part could not be closed or the limit was exceeded */
  close(): Promise<boolean> {
    this.#isRequested = true;
    this.#closing ??= this.#closeWithinLimit();
    return this.#closing;
  }

  async #closeWithinLimit(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.limitMs);
    });
    const isClean = await Promise.race([this.#closeAll(), timeout]);
    clearTimeout(timer);
    return isClean;
  }

  async #closeAll(): Promise<boolean> {
    let isClean = true;
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      try {
        await part.close();
      } catch (error) {
        isClean = false;
        this.log?.error({ err: error, part: part.name }, 'Cannot close a part of the gateway');
      }
    }
    return isClean;
  }
}
