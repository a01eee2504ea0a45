import type { Recogniser } from '../../media/inference/recogniser.js';
import type { Clock, Timer } from '../clock.js';
import type { AudioHistory } from './audio-history.js';

/** Kept before the first window of speech, so that its onset is not clipped: 500 ms. */
export const PRE_ROLL = 8_000;
/** Taken along after the last sample of speech: 200 ms. */
export const TAIL = 3_200;
/** A pause after this much audio fixes the text so far: 8 s. */
const FIX_AFTER = 128_000;
/** Speech without a pause is cut here, at its quietest place: 11 s. */
const WINDOW = 176_000;
/** The recogniser's limit: 12 s. */
const MAX = 192_000;
const INTERIM_EVERY_MS = 300;

export interface Transcript {
  /** The whole turn so far. */
  readonly text: string;
  /** Set on a final: the last sample of the speech that it covers. */
  readonly zeroSample: number | undefined;
  /** What was listened to ends here, where that is known. */
  readonly upToSample?: number;
  /** ISO 639-1, from a recogniser that finds out. */
  readonly language?: string | undefined;
  /** Who heard it. */
  readonly recogniser: string;
}

export interface TranscriberOptions {
  readonly recogniser: Recogniser;
  /** What is spoken, where that is known. */
  readonly language?: string | undefined;
  readonly history: AudioHistory;
  readonly clock: Clock;
  readonly onTranscript: (transcript: Transcript) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Turns a recogniser of whole pieces into a stream for one caller: interims by running again on the
 * growing utterance, a final at every pause; the newest wins and stale runs are dropped.
 */
export class Transcriber {
  readonly #options: TranscriberOptions;
  #fixed = '';
  #latest = '';
  #language: string | undefined;
  #heardBy: string;
  #from: number | undefined;
  #finalUpTo: number | undefined;
  /** What a turn that is over has had: no pre-roll reaches back into it. */
  #notBefore = 0;
  #work = new AbortController();
  #timer: Timer | undefined;

  constructor(options: TranscriberOptions) {
    this.#options = options;
    this.#heardBy = options.recogniser.id;
  }

  /** Speech of a new turn, or again after a pause of the same one. */
  speech(startSample: number): void {
    this.#stopRuns();
    if (this.#from === undefined) {
      this.#from = Math.max(this.#notBefore, startSample - PRE_ROLL);
    } else if (this.#finalUpTo !== undefined && this.#finalUpTo - this.#from > FIX_AFTER) {
      this.#fixed = this.#latest;
      this.#from = this.#finalUpTo;
    }
    this.#finalUpTo = undefined;
    this.#scheduleInterim(this.#interimEveryMs);
  }

  /** Speech has paused: one last run up to there. */
  finalise(zeroSample: number): void {
    this.#stopRuns();
    void this.#final(zeroSample);
  }

  /** The turn is over; the next speech begins a new one. */
  reset(): void {
    this.#stopRuns();
    this.#fixed = '';
    this.#latest = '';
    this.#language = undefined;
    this.#from = undefined;
    this.#notBefore = Math.max(this.#notBefore, this.#finalUpTo ?? 0);
    this.#finalUpTo = undefined;
  }

  close(): void {
    this.reset();
  }

  #stopRuns(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#work.abort();
    this.#work = new AbortController();
  }

  get #interimEveryMs(): number {
    return this.#options.recogniser.interimEveryMs ?? INTERIM_EVERY_MS;
  }

  #scheduleInterim(ms: number): void {
    this.#timer = this.#options.clock.after(ms, () => void this.#interim());
  }

  async #interim(): Promise<void> {
    const { signal } = this.#work;
    const { history, clock, onTranscript } = this.#options;
    const from = this.#from;
    if (from === undefined) return;
    const begun = clock.now();
    const isFull = history.end - from > WINDOW;
    const to = isFull ? history.quietest(history.end - 48_000, history.end) : history.end;
    const text = await this.#transcribe(
      from,
      to,
      isFull ? 'final-transcript' : 'interim-transcript',
    );
    if (signal.aborted) return;
    if (text !== undefined) {
      this.#latest = join(this.#fixed, text);
      if (isFull) {
        this.#fixed = this.#latest;
        this.#from = to;
      }
      onTranscript({
        text: this.#latest,
        zeroSample: undefined,
        upToSample: to,
        language: this.#language,
        recogniser: this.#heardBy,
      });
    }
    this.#scheduleInterim(Math.max(this.#interimEveryMs, 3 * (clock.now() - begun)));
  }

  async #final(zeroSample: number): Promise<void> {
    const { signal } = this.#work;
    const from = this.#from;
    if (from === undefined) return;
    const to = zeroSample + TAIL;
    const text = await this.#transcribe(Math.max(from, to - MAX), to, 'final-transcript');
    if (signal.aborted) return;
    // A recogniser that failed still leaves what the interims heard.
    if (text !== undefined) this.#latest = join(this.#fixed, text);
    this.#finalUpTo = zeroSample;
    if (text === undefined && this.#latest === '') return;
    this.#options.onTranscript({
      text: this.#latest,
      zeroSample,
      upToSample: to,
      language: this.#language,
      recogniser: this.#heardBy,
    });
  }

  async #transcribe(
    from: number,
    to: number,
    priority: 'final-transcript' | 'interim-transcript',
  ): Promise<string | undefined> {
    const { recogniser, history, onFault, language } = this.#options;
    const { signal } = this.#work;
    const onLanguage = (heard: string) => {
      if (!signal.aborted) this.#language = heard;
    };
    const onRecogniser = (id: string) => {
      if (!signal.aborted) this.#heardBy = id;
    };
    const options = { priority, signal, language, onLanguage, onRecogniser };
    try {
      return await recogniser.transcribe(history.slice(from, to), options);
    } catch (error) {
      if (!signal.aborted) onFault(error);
      return undefined;
    }
  }
}

function join(first: string, second: string): string {
  return first && second ? `${first} ${second}` : first || second;
}
