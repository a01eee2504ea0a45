import { CALLER_SAMPLE_RATE } from '../../media/audio/pcm.js';
import type { SpeechToText } from '../../media/stt/speech-to-text.js';
import type { Clock, Timer } from '../contract/clock.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { AudioRingBuffer } from './audio-ring-buffer.js';

/** Kept before the first window of speech, so that its onset is not clipped: 500 ms. */
export const PRE_ROLL = 8_000;
/** Taken along after the last sample of speech: 200 ms. */
export const TAIL = 3_200;
/** A pause after this much audio fixes the text so far: 8 s. */
const FIX_AFTER = 128_000;
/** Speech without a pause is cut here, at its quietest place: 11 s. */
const WINDOW = 176_000;
/** … among its last 3 s. */
const CUT_WITHIN = 48_000;
/** The recogniser's limit: 12 s. */
const MAX = 192_000;
const INTERIM_EVERY_MS = 300;

export interface Transcript {
  /** The whole turn so far. */
  readonly text: string;
  /** Set on a final: the last sample of the speech that it covers. */
  readonly speechEndSample: number | undefined;
  /** What was listened to ends here, where that is known. */
  readonly upToSample?: number;
  /** ISO 639-1, from a recogniser that finds out. */
  readonly language?: string | undefined;
  /** Who heard it. */
  readonly recogniser: string;
}

export interface BatchTranscriberOptions {
  readonly recogniser: SpeechToText;
  /** What is spoken, where that is known. */
  readonly language?: string | undefined;
  readonly history: AudioRingBuffer;
  readonly clock: Clock;
  readonly boundary: FaultBoundary;
  readonly onTranscript: (transcript: Transcript) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Turns a recogniser of whole pieces into a stream for one caller: interims by running again on the
 * growing utterance, a final at every pause; the newest wins and stale runs are dropped.
 */
export class BatchTranscriber {
  readonly #options: BatchTranscriberOptions;
  #fixed = '';
  #latest = '';
  #language: string | undefined;
  #recognisedBy: string;
  #from: number | undefined;
  #finalUpTo: number | undefined;
  /** What a turn that is over has had: no pre-roll reaches back into it. */
  #notBefore = 0;
  #work = new AbortController();
  #timer: Timer | undefined;

  constructor(options: BatchTranscriberOptions) {
    this.#options = options;
    this.#recognisedBy = options.recogniser.id;
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
  finalise(speechEndSample: number): void {
    this.#stopRuns();
    this.#options.boundary.watch(this.#final(speechEndSample));
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
    const { clock, boundary } = this.#options;
    this.#timer = clock.after(ms, () => boundary.watch(this.#interim()));
  }

  async #interim(): Promise<void> {
    const { signal } = this.#work;
    const { history, clock, onTranscript } = this.#options;
    const from = this.#from;
    if (from === undefined) return;
    const begun = clock.now();
    const isFull = history.end - from > WINDOW;
    const to = isFull ? this.#cutAfter(from) : history.end;
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
        speechEndSample: undefined,
        upToSample: to,
        language: this.#language,
        recogniser: this.#recognisedBy,
      });
    }
    const restMs = Math.max(this.#interimEveryMs, 3 * (clock.now() - begun));
    this.#scheduleInterim(text === undefined ? restMs : Math.min(restMs, this.#roomMs));
  }

  /** How much longer speech may go on before there is more of it than the recogniser takes at once. */
  get #roomMs(): number {
    const length = this.#options.history.end - (this.#from ?? 0);
    return Math.max(0, ((MAX - length) * 1000) / CALLER_SAMPLE_RATE);
  }

  async #final(speechEndSample: number): Promise<void> {
    const { signal } = this.#work;
    if (this.#from === undefined) return;
    const to = speechEndSample + TAIL;
    const pieces = this.#pieces(this.#from, to).map(([start, end]) =>
      this.#transcribe(start, end, 'final-transcript'),
    );
    const texts = await Promise.all(pieces);
    if (signal.aborted) return;
    const text = texts.reduce((said, piece) =>
      said === undefined || piece === undefined ? undefined : join(said, piece),
    );
    // A recogniser that failed still leaves what the interims heard.
    if (text !== undefined) this.#latest = join(this.#fixed, text);
    this.#finalUpTo = speechEndSample;
    if (text === undefined && this.#latest === '') return;
    this.#options.onTranscript({
      text: this.#latest,
      speechEndSample,
      upToSample: to,
      language: this.#language,
      recogniser: this.#recognisedBy,
    });
  }

  /** What the recogniser takes at once; a slow one may not have come to cut long speech yet. */
  #pieces(start: number, end: number): (readonly [number, number])[] {
    const pieces: (readonly [number, number])[] = [];
    let from = start;
    while (end - from > MAX) {
      const cut = this.#cutAfter(from);
      pieces.push([from, cut]);
      from = cut;
    }
    return [...pieces, [from, end]];
  }

  /** Where to cut running speech of which there is more than a window: at its quietest place. */
  #cutAfter(from: number): number {
    const { history } = this.#options;
    const end = Math.min(history.end, Math.max(from, history.start) + MAX);
    return history.quietest(end - CUT_WITHIN, end);
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
      if (!signal.aborted) this.#recognisedBy = id;
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
