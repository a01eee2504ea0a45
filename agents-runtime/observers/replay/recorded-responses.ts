import type { ReplayLine, ResponseLine, TimerLine } from './replay-format.js';

/** A question at nearly the same time is the same question, ms. */
const SAME_MS = 2;
/** Where nothing on the tape says how long an answer takes. */
const USUAL_MS = 80;

/** A question on the tape. */
export interface RecordedRequest {
  readonly of: string;
  readonly key: string;
  readonly askedAt: number;
  /** Its answer and where on the tape that is; the tape may have none. */
  answer: { readonly index: number; readonly line: ResponseLine } | undefined;
  /** It has been asked again. */
  isTaken: boolean;
}

interface RecordedTimer {
  readonly index: number;
  readonly line: TimerLine;
  isTaken: boolean;
}

/** What the tape knows of questions and timers: each is found once. */
export class RecordedResponses {
  readonly #asked = new Map<string, RecordedRequest[]>();
  readonly #timers: RecordedTimer[] = [];
  /** The first timer that may still be asked for: time only moves on. */
  #firstTimer = 0;

  constructor(lines: readonly ReplayLine[]) {
    const byNumber = new Map<number, RecordedRequest>();
    for (const [index, line] of lines.entries()) {
      if (line.type === 'timer') this.#timers.push({ index, line, isTaken: false });
      if (line.type === 'answer') {
        const asked = byNumber.get(line.n);
        if (asked) asked.answer = { index, line };
      }
      if (line.type !== 'asked') continue;
      const { of, key, t: askedAt } = line;
      const asked: RecordedRequest = { of, key, askedAt, answer: undefined, isTaken: false };
      byNumber.set(line.n, asked);
      const known = this.#asked.get(of);
      if (known) known.push(asked);
      else this.#asked.set(of, [asked]);
    }
    this.#timers.sort((a, b) => a.line.askedAt - b.line.askedAt || a.index - b.index);
  }

  /** The very question, asked when it was asked then. */
  same(of: string, key: string, now: number): RecordedRequest | undefined {
    const found = this.#of(of).find(
      (asked) => !asked.isTaken && asked.key === key && Math.abs(asked.askedAt - now) <= SAME_MS,
    );
    if (found) found.isTaken = true;
    return found;
  }

  /** The same question, asked at another time: the nearest of them that has an answer. */
  alike(of: string, key: string, now: number): RecordedRequest | undefined {
    const near = nearest(
      this.#of(of).filter((asked) => !asked.isTaken && asked.key === key && asked.answer),
      now,
    );
    if (near) near.isTaken = true;
    return near;
  }

  /** Another question of this kind that has an answer, the nearest in time. */
  near(of: string, now: number): ResponseLine | undefined {
    const answered = this.#of(of).filter(({ answer }) => answer?.line.value !== undefined);
    return nearest(answered, now)?.answer?.line;
  }

  /** How long answers of this kind take, ms: the middle one. */
  usualMs(of: string): number {
    const waits = this.#of(of)
      .flatMap(({ answer, askedAt }) =>
        answer && answer.line.error === undefined ? [answer.line.t - askedAt] : [],
      )
      .sort((a, b) => a - b);
    return waits[waits.length >> 1] ?? USUAL_MS;
  }

  /** Where on the tape a timer that is set now fires, or is stopped too late. */
  timer(waitMs: number, now: number): number | undefined {
    const timers = this.#timers;
    while ((timers[this.#firstTimer]?.line.askedAt ?? now) < now - SAME_MS) this.#firstTimer++;
    for (let i = this.#firstTimer; i < timers.length; i++) {
      const timer = timers[i]!;
      if (timer.line.askedAt > now + SAME_MS) return undefined;
      if (timer.isTaken || Math.abs(timer.line.waitMs - waitMs) > SAME_MS) continue;
      timer.isTaken = true;
      return timer.index;
    }
    return undefined;
  }

  /** The timer on that line was another one: whoever took it stopped its own before its time. */
  giveBack(index: number): void {
    const timer = this.#timers.find((one) => one.index === index);
    if (timer) timer.isTaken = false;
  }

  #of(of: string): readonly RecordedRequest[] {
    return this.#asked.get(of) ?? [];
  }
}

function nearest(asked: readonly RecordedRequest[], now: number): RecordedRequest | undefined {
  const gap = ({ askedAt }: RecordedRequest) => Math.abs(askedAt - now);
  return asked.reduce<RecordedRequest | undefined>(
    (best, one) => (best && gap(best) <= gap(one) ? best : one),
    undefined,
  );
}
