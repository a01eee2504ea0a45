import type { Clock, Timer } from '../../contract/clock.js';
import type { Entry, ReplayHeader, ReplayLine, ReplaySink, ResponseLine } from './replay-format.js';

/** A timer that is stopped this near to its time might as well have fired. */
const NEARLY_MS = 1;

type Answer = Pick<ResponseLine, 'value' | 'error' | 'isLast'>;

/**
 * Writes down what a call lives on, in the order in which it came. It is the call's clock, too: time
 * stands still until the next thing comes in, and has thousandths of a ms, so that the call sees the
 * very times that are on the tape.
 */
export class ReplayRecorder implements Clock {
  readonly #clock: Clock;
  readonly #sink: ReplaySink;
  readonly #zero: number;
  #now = 0;
  #questions = 0;
  #isEntered = false;
  #isSettling = false;
  #hasEnded = false;

  constructor(clock: Clock, sink: ReplaySink) {
    this.#clock = clock;
    this.#sink = sink;
    this.#zero = clock.now();
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): Timer {
    const asked = { askedAt: this.#now, waitMs: ms };
    const dueAt = this.#now + ms;
    let isOpen = true;
    const timer = this.#clock.after(dueAt - this.#passed(), () => {
      isOpen = false;
      this.write({ t: this.#enter(), type: 'timer', ...asked });
      act();
    });
    return {
      cancel: () => {
        if (!isOpen) return;
        isOpen = false;
        timer.cancel();
        if (this.#passed() < dueAt - NEARLY_MS) return;
        this.write({ t: this.#now, type: 'timer', ...asked, isStopped: true });
      },
    };
  }

  /** Something comes in: it is now, or still, where the call has not settled what came in just before. */
  enter(line: Entry): void {
    const isWithin = this.#isSettling;
    const t = isWithin ? this.#now : this.#enter();
    this.write({ t, ...line, ...(isWithin && { isWithin }) });
  }

  /**
   * The same for what may be a consequence of what came in before, without anything between: a model
   * that answers at once. Time does not go on meanwhile, as it does not in a replay.
   */
  enterWithin(): number {
    return this.#isEntered ? this.#now : this.#enter();
  }

  /** A question is put to a model or a service. */
  ask(of: string, key: string): number {
    const n = ++this.#questions;
    this.write({ t: this.#now, type: 'asked', n, of, key });
    return n;
  }

  answer(n: number, answer: Answer): void {
    this.write({ t: this.enterWithin(), type: 'answer', n, ...answer });
  }

  /** Passes a question's answer on, and writes it down as `encode` has it. */
  async once<T>(
    of: string,
    key: string,
    work: Promise<T>,
    encode: (value: T) => unknown,
  ): Promise<T> {
    const asked = this.ask(of, key);
    try {
      const value = await work;
      this.answer(asked, { value: encode(value) });
      return value;
    } catch (error) {
      this.answer(asked, { error: nameOf(error) });
      throw error;
    }
  }

  /** The same for one that is answered piece by piece: each pull is a question. */
  async *stream<T>(
    of: string,
    key: string,
    source: AsyncGenerator<T>,
    encode: (value: T) => unknown,
  ): AsyncGenerator<T> {
    try {
      for (let index = 0; ; index++) {
        const asked = this.ask(of, `${index} ${key}`);
        const next = await source.next().catch((error) => {
          this.answer(asked, { error: nameOf(error) });
          throw error;
        });
        if (next.done) {
          this.answer(asked, { isLast: true });
          return;
        }
        this.answer(asked, { value: encode(next.value) });
        yield next.value;
      }
    } finally {
      await source.return(undefined);
    }
  }

  write(line: ReplayHeader | ReplayLine): void {
    if (!this.#hasEnded) this.#sink.write(line);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#sink.end();
  }

  #enter(): number {
    this.#now = Math.max(this.#now, Math.round(this.#passed() * 1000) / 1000);
    this.#isSettling = true;
    // A tick that a promise asks for comes when no promise has anything left to do.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isSettling = false;
      }),
    );
    if (!this.#isEntered) {
      this.#isEntered = true;
      setImmediate(() => {
        this.#isEntered = false;
      });
    }
    return this.#now;
  }

  #passed(): number {
    return this.#clock.now() - this.#zero;
  }
}

/** Its code where it has one: messages may quote. */
function nameOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return error instanceof Error ? error.name : 'Error';
}
