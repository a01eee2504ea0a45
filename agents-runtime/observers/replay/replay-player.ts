import { CallError } from '../../contract/errors.js';
import { type RecordedRequest, RecordedResponses, TOLERANCE_MS } from './recorded-responses.js';
import type { CleanedLine, InputLine, ReplayLine, ResponseLine } from './replay-format.js';
import { settled, VirtualClock } from './virtual-clock.js';

export interface PortRequest<T> {
  readonly of: string;
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  /** The response if the file has none; receives the nearest of its kind. Undefined: there is none. */
  readonly fallback?: (near: ResponseLine | undefined) => T | Promise<T>;
}

/** Requests by the origin of their response. */
export interface AnswerCounts {
  /** Recorded for this request. */
  recorded: number;
  /** Recorded for the same request at another time. */
  moved: number;
  /** Not in the file. */
  estimated: number;
}

/** Receives the lines that are not responses to requests. */
export interface PlayedLines {
  input(line: InputLine): void;
  vad(probability: number): void;
  cleaned(line: CleanedLine): void;
  notCleaned(): void;
}

/**
 * Replays a file on a virtual clock: input and responses arrive at their recorded times. A request that
 * is not made at its recorded time is answered after as long as it took then.
 */
export class ReplayPlayer {
  readonly clock = new VirtualClock();
  readonly counts: AnswerCounts = { recorded: 0, moved: 0, estimated: 0 };
  readonly #lines: readonly ReplayLine[];
  readonly #responses: RecordedResponses;

  constructor(lines: readonly ReplayLine[]) {
    this.#lines = lines;
    this.#responses = new RecordedResponses(lines);
  }

  /** @throws CallError if that is the recorded response, or if the signal fires first */
  request<T>({ of, key, signal, fallback }: PortRequest<T>): Promise<ResponseLine | T> {
    const now = this.clock.now();
    const same = this.#responses.same(of, key, now);
    if (same) {
      this.counts.recorded++;
      return unlessAborted(signal, this.#recorded(same));
    }
    const moved = this.#responses.alike(of, key, now);
    if (moved?.answer) {
      this.counts.moved++;
      const { answer, requestedAt } = moved;
      return unlessAborted(signal, this.#at(now + answer.t - requestedAt, answer).then(checked));
    }
    if (!fallback) return new Promise(() => undefined);
    this.counts.estimated++;
    const work = Promise.resolve(fallback(this.#responses.near(of, now)));
    return unlessAborted(signal, this.clock.later(this.#responses.usualMs(of), work));
  }

  async play(to: PlayedLines): Promise<void> {
    for (const line of this.#lines) {
      if (!isPlayed(line)) continue;
      await settled();
      await this.clock.runTo(line.t);
      perform(line, to);
    }
    await settled();
    // The end of a call may come later than recorded; a call that goes on is cut at the file's end.
    const isWhole = this.#lines.some(
      (line) => line.type === 'transport' && line.action === 'close',
    );
    await this.clock.runTo((this.#lines.at(-1)?.t ?? 0) + (isWhole ? TOLERANCE_MS : 0));
  }

  /** Never resolves if there was no response. */
  #recorded({ answer }: RecordedRequest): Promise<ResponseLine> {
    if (!answer) return new Promise(() => undefined);
    return this.#at(answer.t, answer).then(checked);
  }

  #at<T>(atMs: number, value: T): Promise<T> {
    const waitMs = atMs - this.clock.now();
    const work = Promise.resolve(value);
    return waitMs > 0 ? this.clock.later(waitMs, work) : work;
  }
}

const PLAYED = [
  'connected',
  'audio',
  'typed',
  'say',
  'played',
  'lost',
  'regained',
  'hang-up',
  'backlog',
  'vad',
  'cleaned',
  'not-cleaned',
] as const;
type PlayedLine = Extract<ReplayLine, { readonly type: (typeof PLAYED)[number] }>;

function isPlayed(line: ReplayLine): line is PlayedLine {
  return PLAYED.some((type) => type === line.type);
}

function perform(line: PlayedLine, to: PlayedLines): void {
  if (line.type === 'vad') to.vad(line.probability);
  else if (line.type === 'cleaned') to.cleaned(line);
  else if (line.type === 'not-cleaned') to.notCleaned();
  else to.input(line);
}

function checked(line: ResponseLine): ResponseLine {
  if (line.error !== undefined) throw new CallError('CLOSED', `As recorded: ${line.error}`);
  return line;
}

function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CallError('CLOSED', 'The request was dropped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
