import type { Transport } from '../contract/transport.js';
import { wholeCallMs } from './call-time.js';

/** Sends transcripts to the client: one segment for each turn or utterance, replaced until it is final. */
export class TranscriptPublisher {
  readonly #transport: Transport;
  readonly #now: () => number;
  #lastFinalTurn: number | undefined;

  /** @param now - returns the call time in ms */
  constructor(transport: Transport, now: () => number) {
    this.#transport = transport;
    this.#now = now;
  }

  /** The text so far of an utterance. */
  agentInterim(utterance: number, text: string, startMs: number): void {
    this.#agent(utterance, text, false, startMs);
  }

  /** The text of an utterance that the caller heard. */
  agentFinal(utterance: number, text: string, startMs: number): void {
    this.#agent(utterance, text, true, startMs);
  }

  /** The text so far of a turn that is not committed. */
  interim(turn: number, text: string, startMs: number): void {
    this.#user(turn, text, false, startMs, this.#now());
  }

  /** @param replaces - the final transcript before is part of this one */
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

  /** Removes a turn that has no words or became part of another one. */
  retract(turn: number): void {
    const now = this.#now();
    this.#user(turn, '', true, now, now);
  }

  #agent(utterance: number, text: string, final: boolean, startMs: number): void {
    this.#transport.send({
      type: 'transcript',
      segment: `a${utterance}`,
      role: 'agent',
      text,
      final,
      startMs: wholeCallMs(startMs),
      endMs: wholeCallMs(this.#now()),
    });
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
