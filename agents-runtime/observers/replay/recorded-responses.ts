import type { ReplayLine, ResponseLine } from './replay-format.js';

/** A replay's times may differ from the recorded ones by this much: timers of a real call run late. */
export const TOLERANCE_MS = 100;
/** Duration of a response if the file has none of its kind. */
const USUAL_MS = 80;
/** Ports whose requests contain audio up to the moment of the request. */
const AUDIO_PORTS: readonly string[] = ['turn-model', 'recogniser'];

/** A request in the file. */
export interface RecordedRequest {
  readonly of: string;
  readonly key: string;
  readonly requestedAt: number;
  /** Undefined if the request was dropped or the file ends before the response. */
  answer: ResponseLine | undefined;
  isTaken: boolean;
}

/** The requests and responses of a file. Each request is found once. */
export class RecordedResponses {
  readonly #requests = new Map<string, RecordedRequest[]>();

  constructor(lines: readonly ReplayLine[]) {
    const byNumber = new Map<number, RecordedRequest>();
    for (const line of lines) {
      if (line.type === 'answer') {
        const request = byNumber.get(line.n);
        if (request) request.answer = line;
      }
      if (line.type !== 'asked') continue;
      const { of, key, t: requestedAt } = line;
      const request: RecordedRequest = { of, key, requestedAt, answer: undefined, isTaken: false };
      byNumber.set(line.n, request);
      const known = this.#requests.get(of);
      if (known) known.push(request);
      else this.#requests.set(of, [request]);
    }
  }

  /** The request that was made at this time. Audio may differ: it ends at the time of the request. */
  same(of: string, key: string, now: number): RecordedRequest | undefined {
    const near = this.#of(of).filter(
      ({ isTaken, requestedAt }) => !isTaken && Math.abs(requestedAt - now) <= TOLERANCE_MS,
    );
    const found =
      near.find((request) => request.key === key) ??
      (AUDIO_PORTS.includes(of) ? nearest(near, now) : undefined);
    if (found) found.isTaken = true;
    return found;
  }

  /** The same request at another time: the nearest that has a response. */
  alike(of: string, key: string, now: number): RecordedRequest | undefined {
    const found = nearest(
      this.#of(of).filter((request) => !request.isTaken && request.key === key && request.answer),
      now,
    );
    if (found) found.isTaken = true;
    return found;
  }

  /** The response to the nearest other request of this kind. */
  near(of: string, now: number): ResponseLine | undefined {
    const answered = this.#of(of).filter(({ answer }) => answer?.value !== undefined);
    return nearest(answered, now)?.answer;
  }

  /** Median duration of the responses of this kind, ms. */
  usualMs(of: string): number {
    const waits = this.#of(of)
      .flatMap(({ answer, requestedAt }) =>
        answer && answer.error === undefined ? [answer.t - requestedAt] : [],
      )
      .sort((a, b) => a - b);
    return waits[waits.length >> 1] ?? USUAL_MS;
  }

  #of(of: string): readonly RecordedRequest[] {
    return this.#requests.get(of) ?? [];
  }
}

function nearest(requests: readonly RecordedRequest[], now: number): RecordedRequest | undefined {
  const gap = ({ requestedAt }: RecordedRequest) => Math.abs(requestedAt - now);
  return requests.reduce<RecordedRequest | undefined>(
    (best, request) => (best && gap(best) <= gap(request) ? best : request),
    undefined,
  );
}
