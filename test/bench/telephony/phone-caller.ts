import type { SimulatedCall } from '../../../tools/simulator/simulated-call.js';
import { speechSegmentsOf } from '../../../tools/simulator/speech-segments.js';
import type { CallerFigures } from '../density/light-caller.js';

/** Minimum time between the end of an answer and the next question, in milliseconds. */
const MIN_PAUSE = 500;
const MAX_PAUSE = 1_500;
/** Timeout for the start of an answer. */
const ANSWER_WITHIN_MS = 8_000;
/** Silence that ends an answer, in milliseconds. */
const ENDED_MS = 500;
/** Interruptions start after this much of the agent's speech. */
const BREAK_IN_AFTER_MS = 900;

/** Results of several phone callers. */
export interface PhoneFigures extends CallerFigures {
  /**
   * Time from the onset of an interruption to the last audio that the carrier plays, in
   * milliseconds.
   */
  readonly bargeInMs: number[];
  /** Time from the end of a question to the first audio of the answer, in milliseconds. */
  readonly latencyMs: number[];
  maxLeadMs: number;
}

/** A caller who repeats a question and waits for the end of the answers or interrupts them. */
export class PhoneCaller {
  readonly #call: SimulatedCall;
  readonly #question: Int16Array;
  readonly #figures: PhoneFigures;
  /** Position of the first audio in the question. */
  readonly #onsetMs: number;
  #hasHungUp = false;

  constructor(call: SimulatedCall, question: Int16Array, figures: PhoneFigures) {
    this.#call = call;
    this.#question = question;
    this.#figures = figures;
    this.#onsetMs = speechSegmentsOf(question, call.leg.sampleRate)[0]?.fromMs ?? 0;
  }

  /** Resolves when the gateway has answered. @throws if it does not */
  async begin({ breaksIn }: { readonly breaksIn: boolean }): Promise<void> {
    const call = this.#call;
    if ((await call.ring()) !== 'answered') {
      throw new Error(`OVERLOADED: ${(await call.ended).how}`);
    }
    void call.ended.then(({ by, how }) => {
      if (!this.#hasHungUp) this.#figures.lost.push(`${by} ${how}`);
    });
    void this.#talk(breaksIn);
  }

  close(): void {
    this.#hasHungUp = true;
    this.#call.hangUp();
  }

  async #talk(breaksIn: boolean): Promise<void> {
    const { leg: line } = this.#call;
    await line.untilAgentIsSilent(0, ENDED_MS, ANSWER_WITHIN_MS);
    while (!this.#hasHungUp) {
      await this.#ask(breaksIn);
      this.#figures.gapsMs.push(...line.drainGaps());
      this.#figures.maxLeadMs = Math.max(this.#figures.maxLeadMs, line.maxLeadMs);
      for (const { what } of this.#call.faults) this.#figures.lost.push(what);
      const pauseMs = MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE);
      const next = line.atMs + pauseMs;
      await line.until(() => line.atMs >= next, pauseMs + 1_000);
    }
  }

  async #ask(breaksIn: boolean): Promise<void> {
    const { leg: line } = this.#call;
    await this.#say();
    const endedMs = line.callerLoudMs;
    this.#figures.questions++;
    if (!(await line.untilAgentSpeaks(endedMs, ANSWER_WITHIN_MS))) {
      if (!this.#hasHungUp) this.#figures.unanswered++;
      return;
    }
    this.#figures.answers++;
    this.#figures.latencyMs.push(line.agentOnsetMs - endedMs);
    if (breaksIn) await this.#breakIn(line.agentOnsetMs + BREAK_IN_AFTER_MS);
    await line.untilAgentIsSilent(endedMs, ENDED_MS);
  }

  async #breakIn(atMs: number): Promise<void> {
    const { leg: line } = this.#call;
    await line.until(() => line.atMs >= atMs);
    const onsetMs = line.atMs + this.#onsetMs;
    const spoken = this.#say();
    await line.until(() => line.atMs > onsetMs && line.atMs - line.agentLoudMs > ENDED_MS);
    this.#figures.bargeInMs.push(Math.max(0, line.agentLoudMs + 20 - onsetMs));
    await spoken;
    await line.untilAgentSpeaks(line.callerLoudMs, ANSWER_WITHIN_MS);
  }

  async #say(): Promise<void> {
    const { leg: line } = this.#call;
    line.say(this.#question);
    await line.until(() => !line.isCallerSpeaking);
  }
}
