import { SentenceBoundary } from './sentence-boundary.js';
import { splitLong } from './sentences.js';

/** Longest stretch without an end of a sentence that is handed on at once. */
const MAX_HELD_LENGTH = 10_000;
/** What would follow if the sentence had ended. */
const NEXT_SENTENCE = ' The';

/**
 * Holds a text that comes in pieces until a sentence has ended. What it hands on is the same however
 * the text is cut, and joined it is the text.
 */
export class SentenceHold {
  readonly #finder: SentenceBoundary;
  #pending = '';
  /** Up to here `#pending` has been judged. */
  #judged = 0;

  /** @param language ISO 639-1; decides what a full stop may mean. */
  constructor(language: string) {
    this.#finder = new SentenceBoundary(language);
  }

  /** The sentences that are complete now, in one text; empty when there is none. */
  push(text: string): string {
    this.#pending += text;
    let end = 0;
    while (this.#judged < this.#pending.length) {
      const verdict = this.#finder.judge(this.#pending, this.#judged, false);
      if (verdict.type === 'wait') break;
      if (verdict.type === 'sentence') end = verdict.end;
      const next = verdict.type === 'none' ? 0 : verdict.end;
      this.#judged = Math.max(next, this.#judged + 1);
    }
    return this.#cut(end);
  }

  /**
   * The same when the text has paused: a full stop at its very end is now taken for one, unless an
   * abbreviation or a number goes on behind such stops.
   */
  settle(): string {
    const said = this.#pending.trimEnd();
    let at = this.#judged;
    while (at < said.length) {
      const verdict = this.#finder.judge(said + NEXT_SENTENCE, at, false);
      if (verdict.type === 'sentence' && verdict.end >= said.length) {
        return this.#cut(this.#pending.length);
      }
      at = Math.max(verdict.type === 'none' || verdict.type === 'wait' ? 0 : verdict.end, at + 1);
    }
    return '';
  }

  /** What is left, in parts that a voice takes. */
  flush(): string[] {
    return splitLong(this.#cut(this.#pending.length), MAX_HELD_LENGTH);
  }

  #cut(end: number): string {
    const ready = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    this.#judged = Math.max(0, this.#judged - end);
    return ready;
  }
}
