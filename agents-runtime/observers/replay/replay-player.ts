import type { Clock, Timer } from '../../contract/clock.js';
import { CallError } from '../../contract/errors.js';
import { type RecordedRequest, RecordedResponses } from './recorded-responses.js';
import {
  type CleanedLine,
  type InputLine,
  isObservedEffect,
  type ObservedEffect,
  type ReplayFile,
  type ReplayLine,
  type ResponseLine,
} from './replay-format.js';
import { settled, VirtualClock } from './virtual-clock.js';

export interface Question<T> {
  readonly of: string;
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  /** What to say where the tape says nothing; told the nearest thing that it does say. Without it: nothing. */
  readonly otherwise?: (near: ResponseLine | undefined) => T | Promise<T>;
}

/** How many questions the tape had an answer to, and how many were answered otherwise. */
export interface AnswerCounts {
  recorded: number;
  moved: number;
  guessed: number;
}

type PlayedLine = Exclude<ReplayLine, ObservedEffect | { readonly type: 'full' | 'asked' }>;

/** Takes what is not an answer. */
export interface PlayedLines {
  input(line: InputLine): void;
  vad(probability: number): void;
  cleaned(line: CleanedLine): void;
  notCleaned(): void;
}

/**
 * Plays a tape to a call: everything comes when it came and in the order in which it came. What the
 * call asks at another time than it did, because it is not the same any more, is answered after as
 * long as it took then; timers that it did not have go by the clock.
 */
export class ReplayPlayer implements Clock {
  readonly counts: AnswerCounts = { recorded: 0, moved: 0, guessed: 0 };
  readonly #lines: readonly ReplayLine[];
  readonly #answers: RecordedResponses;
  readonly #time = new VirtualClock();
  /** Who waits for which line of the tape. */
  readonly #waiting = new Map<number, () => void>();
  #at = -1;

  constructor({ lines }: ReplayFile) {
    this.#lines = backlogFirst(lines);
    this.#answers = new RecordedResponses(this.#lines);
  }

  now(): number {
    return this.#time.now();
  }

  after(ms: number, act: () => void): Timer {
    const index = this.#answers.timer(ms, this.now());
    if (index === undefined || index <= this.#at) return this.#time.after(ms, act);
    this.#waiting.set(index, act);
    return {
      cancel: () => {
        if (this.#waiting.delete(index)) this.#answers.giveBack(index);
      },
    };
  }

  /** @throws CallError when that was the answer, or the signal fires first. */
  ask<T>({ of, key, signal, otherwise }: Question<T>): Promise<ResponseLine | T> {
    const now = this.now();
    const same = this.#answers.same(of, key, now);
    if (same && (!same.answer || same.answer.index > this.#at)) {
      this.counts.recorded++;
      return unlessAborted(signal, this.#answerOf(same));
    }
    const asked = same ?? this.#answers.alike(of, key, now);
    if (asked?.answer) {
      this.counts.moved++;
      const { line } = asked.answer;
      const work = Promise.resolve(line);
      return unlessAborted(signal, this.#time.later(line.t - asked.askedAt, work).then(checked));
    }
    if (!otherwise) return new Promise(() => undefined);
    this.counts.guessed++;
    const work = Promise.resolve(otherwise(this.#answers.near(of, now)));
    return unlessAborted(signal, this.#time.later(this.#answers.usualMs(of), work));
  }

  /** Plays the whole tape. */
  async play(to: PlayedLines): Promise<void> {
    for (const [index, line] of this.#lines.entries()) {
      if (isObservedEffect(line) || line.type === 'full' || line.type === 'asked') continue;
      if (!('isWithin' in line && line.isWithin)) {
        await settled();
        await this.#time.runTo(line.t);
      }
      this.#at = index;
      this.#perform(line, index, to);
    }
    await settled();
    await this.#time.runTo(this.#lines.at(-1)?.t ?? 0);
  }

  #perform(line: PlayedLine, index: number, to: PlayedLines): void {
    if (line.type === 'vad') to.vad(line.probability);
    else if (line.type === 'cleaned') to.cleaned(line);
    else if (line.type === 'not-cleaned') to.notCleaned();
    else if (line.type === 'answer' || line.type === 'timer') {
      const wake = this.#waiting.get(index);
      this.#waiting.delete(index);
      wake?.();
    } else to.input(line);
  }

  /** Comes where it is on the tape; never, where it never came. */
  #answerOf({ answer }: RecordedRequest): Promise<ResponseLine> {
    return new Promise<ResponseLine>((resolve) => {
      if (answer) this.#waiting.set(answer.index, () => resolve(answer.line));
    }).then(checked);
  }
}

/** The call read the wire's backlog in the middle of what it is written behind: there it must be known. */
function backlogFirst(lines: readonly ReplayLine[]): readonly ReplayLine[] {
  const ordered: ReplayLine[] = [];
  let lastEntry = 0;
  for (const line of lines) {
    if (line.type === 'backlog') {
      ordered.splice(lastEntry++, 0, line);
      continue;
    }
    if (line.type !== 'asked' && !isObservedEffect(line)) lastEntry = ordered.length;
    ordered.push(line);
  }
  return ordered;
}

function checked(line: ResponseLine): ResponseLine {
  if (line.error !== undefined) throw new CallError('CLOSED', `As recorded: ${line.error}`);
  return line;
}

function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CallError('CLOSED', 'The question was dropped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
