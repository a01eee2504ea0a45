import type { Transport } from '../contract/transport.js';
import { wholeCallMs } from './call-time.js';

/** What the client is shown of the talk: one segment a turn or utterance, replaced until it is final. */
export class TranscriptPublisher {
  readonly #transport: Transport;
  readonly #now: () => number;
  #lastFinalTurn: number | undefined;

  /** @param now ms of call time. */
  constructor(transport: Transport, now: () => number) {
    this.#transport = transport;
    this.#now = now;
  }

  agent(utterance: number, text: string, final: boolean, startMs = this.#now()): void {
    const endMs = this.#now();
    this.#transport.send({
      type: 'transcript',
      segment: `a${utterance}`,
      role: 'agent',
      text,
      final,
      startMs: wholeCallMs(startMs),
      endMs: wholeCallMs(endMs),
    });
  }

  /** What is being said, or has been said and is still waiting. */
  interim(turn: number, text: string, startMs: number): void {
    this.#user(turn, text, false, startMs, this.#now());
  }

  /** @param replaces the final before is part of this one. */
  final(
    turn: number,
    text: string,
    { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
    replaces = false,
  ): void {
    if (replaces && this.#lastFinalTurn !== undefined) this.retract(this.#lastFinalTurn);
    this.#lastFinalTurn = turn;
    this.#user(turn, text, true, startMs, endMs);
  }

  /** Nothing was said, or it is part of another turn. */
  retract(turn: number): void {
    const now = this.#now();
    this.#user(turn, '', true, now, now);
  }

  #user(turn: number, text: string, final: boolean, startMs: number, endMs: number): void {
    const segment = `u${turn}`;
    this.#transport.send({
      type: 'transcript',
      segment,
      role: 'user',
      text,
      final,
      startMs: wholeCallMs(startMs),
      endMs: wholeCallMs(endMs),
    });
  }
}
