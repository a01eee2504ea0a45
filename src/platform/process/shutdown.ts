import type { Logger } from 'pino';

interface Part {
  readonly name: string;
  readonly close: () => Promise<unknown> | unknown;
}

/** Ends a start that a signal has overtaken; what it had opened is closed. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** What was opened, closed in the reverse order, once, whoever asks and however often. */
export class Shutdown {
  readonly #parts: Part[] = [];
  #limitMs: number;
  #running: Promise<boolean> | undefined;
  #isAsked = false;
  log: Logger | undefined;

  /** @param limitMs how long closing may take in all before it is given up. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  /** Gives closing more time, or less, than it was made with. */
  set limitMs(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Remembers how to close what was just opened. */
  add(name: string, close: Part['close']): void {
    this.#parts.push({ name, close });
  }

  /** Says that closing is wanted, so that a start in progress goes no further. */
  ask(): void {
    this.#isAsked = true;
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** @throws Overtaken when closing was asked for while the start was still in progress. */
  proceed(): void {
    if (this.#isAsked) throw new Overtaken();
  }

  /** Closes everything; false when that failed somewhere or took too long. */
  run(): Promise<boolean> {
    this.#isAsked = true;
    this.#running ??= this.#closeWithin();
    return this.#running;
  }

  async #closeWithin(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#limitMs);
    });
    const isDone = await Promise.race([this.#closeAll(), tooLate]);
    clearTimeout(timer);
    return isDone;
  }

  async #closeAll(): Promise<boolean> {
    let isClean = true;
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      try {
        await part.close();
      } catch (error) {
        isClean = false;
        this.log?.error({ err: error, part: part.name }, 'a part could not be closed');
      }
    }
    return isClean;
  }
}
