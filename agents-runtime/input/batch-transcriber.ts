import { CALLER_SAMPLE_RATE } from '../../media/audio/pcm.js';
import type { SpeechToText } from '../../media/stt/speech-to-text.js';
import type { Clock, Timer } from '../contract/clock.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { type AudioRingBuffer, PRE_ROLL_SAMPLES } from './audio-ring-buffer.js';

/** Audio after the last sample of speech, in samples: 200 ms. */
export const TAIL_SAMPLES = 3_200;
/** A pause after this much audio fixes the text so far, in samples: 8 s. */
const FIX_AFTER_SAMPLES = 128_000;
/** Speech without a pause is split at this length, in samples: 11 s … */
const MAX_UNSPLIT_SAMPLES = 176_000;
/** … at the quietest place of its last 3 s, in samples. */
const SPLIT_SEARCH_SAMPLES = 48_000;
/** Longest audio of one request, in samples: 12 s, the limit of the local model. */
const MAX_REQUEST_SAMPLES = 192_000;
const INTERIM_EVERY_MS = 300;

export interface Transcript {
  /** The whole turn so far. */
  readonly text: string;
  /** Final transcripts: the last sample of speech. Undefined for an interim. */
  readonly speechEndSample: number | undefined;
  /** End of the transcribed audio, if known. */
  readonly upToSample?: number;
  /** The detected language (ISO 639-1), if the provider detects it. */
  readonly language?: string | undefined;
  readonly providerId: string;
}

export interface BatchTranscriberOptions {
  readonly speechToText: SpeechToText;
  /** The caller's language (ISO 639-1). Undefined: it is detected. */
  readonly language?: string | undefined;
  readonly recentAudio: AudioRingBuffer;
  readonly clock: Clock;
  readonly boundary: FaultBoundary;
  readonly onTranscript: (transcript: Transcript) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Transcribes one caller's speech with a provider of whole recordings: interims by repeated runs on the
 * growing utterance, and a final at every pause. A new run cancels the one before.
 */
export class BatchTranscriber {
  readonly #options: BatchTranscriberOptions;
  /** Text that later runs do not change, and the text of the newest run after it. */
  #fixed = '';
  #latest = '';
  #language: string | undefined;
  #providerId: string;
  /** First sample of the next run; undefined between turns. */
  #from: number | undefined;
  #finalUpTo: number | undefined;
  /** End of the turn before: the pre-roll starts no earlier. */
  #notBefore = 0;
  #work = new AbortController();
  #timer: Timer | undefined;

  constructor(options: BatchTranscriberOptions) {
    this.#options = options;
    this.#providerId = options.speechToText.id;
  }

  /** Speech of a new turn, or after a pause of the same turn. */
  speech(startSample: number): void {
    this.#stopRuns();
    if (this.#from === undefined) {
      this.#from = Math.max(this.#notBefore, startSample - PRE_ROLL_SAMPLES);
    } else if (this.#finalUpTo !== undefined && this.#finalUpTo - this.#from > FIX_AFTER_SAMPLES) {
      this.#fixed = this.#latest;
      this.#from = this.#finalUpTo;
    }
    this.#finalUpTo = undefined;
    this.#scheduleInterim(this.#interimEveryMs);
  }

  /** Speech has paused: starts the final run. */
  finalise(speechEndSample: number): void {
    this.#stopRuns();
    this.#options.boundary.watch(this.#final(speechEndSample));
  }

  /** The turn is over; the next speech starts a new one. */
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
    return this.#options.speechToText.interimEveryMs ?? INTERIM_EVERY_MS;
  }

  #scheduleInterim(ms: number): void {
    const { clock, boundary } = this.#options;
    this.#timer = clock.after(ms, () => boundary.watch(this.#interim()));
  }

  async #interim(): Promise<void> {
    const { signal } = this.#work;
    const { recentAudio, clock } = this.#options;
    const from = this.#from;
    if (from === undefined) return;
    const startedAt = clock.now();
    const isFull = recentAudio.end - from > MAX_UNSPLIT_SAMPLES;
    const to = isFull ? this.#cutAfter(from) : recentAudio.end;
    const priority = isFull ? 'final-transcript' : 'interim-transcript';
    const text = await this.#transcribe(from, to, priority);
    if (signal.aborted) return;
    if (text !== undefined) {
      this.#latest = joinTexts(this.#fixed, text);
      if (isFull) {
        this.#fixed = this.#latest;
        this.#from = to;
      }
      this.#publish(undefined, to);
    }
    const restMs = Math.max(this.#interimEveryMs, 3 * (clock.now() - startedAt));
    this.#scheduleInterim(text === undefined ? restMs : Math.min(restMs, this.#untilFullMs));
  }

  /** Time until the running speech is as long as the provider accepts, ms. */
  get #untilFullMs(): number {
    const length = this.#options.recentAudio.end - (this.#from ?? 0);
    return Math.max(0, ((MAX_REQUEST_SAMPLES - length) * 1000) / CALLER_SAMPLE_RATE);
  }

  async #final(speechEndSample: number): Promise<void> {
    const { signal } = this.#work;
    if (this.#from === undefined) return;
    const to = speechEndSample + TAIL_SAMPLES;
    const chunks = this.#split(this.#from, to).map(([start, end]) =>
      this.#transcribe(start, end, 'final-transcript'),
    );
    const texts = await Promise.all(chunks);
    if (signal.aborted) return;
    const text = texts.reduce((before, chunk) =>
      before === undefined || chunk === undefined ? undefined : joinTexts(before, chunk),
    );
    // After a failure the text of the interims stays.
    if (text !== undefined) this.#latest = joinTexts(this.#fixed, text);
    this.#finalUpTo = speechEndSample;
    if (text === undefined && this.#latest === '') return;
    this.#publish(speechEndSample, to);
  }

  #publish(speechEndSample: number | undefined, upToSample: number): void {
    this.#options.onTranscript({
      text: this.#latest,
      speechEndSample,
      upToSample,
      language: this.#language,
      providerId: this.#providerId,
    });
  }

  /** Parts that the provider accepts: a slow provider may have run no interim that split long speech. */
  #split(start: number, end: number): (readonly [number, number])[] {
    const parts: (readonly [number, number])[] = [];
    let from = start;
    while (end - from > MAX_REQUEST_SAMPLES) {
      const cut = this.#cutAfter(from);
      parts.push([from, cut]);
      from = cut;
    }
    return [...parts, [from, end]];
  }

  /** Where to split running speech that is longer than a window: at its quietest place. */
  #cutAfter(from: number): number {
    const { recentAudio } = this.#options;
    const end = Math.min(recentAudio.end, Math.max(from, recentAudio.start) + MAX_REQUEST_SAMPLES);
    return recentAudio.quietest(end - SPLIT_SEARCH_SAMPLES, end);
  }

  async #transcribe(
    from: number,
    to: number,
    priority: 'final-transcript' | 'interim-transcript',
  ): Promise<string | undefined> {
    const { speechToText, recentAudio, onFault, language } = this.#options;
    const { signal } = this.#work;
    try {
      const options = { priority, signal, language };
      const result = await speechToText.transcribe(recentAudio.slice(from, to), options);
      if (signal.aborted) return undefined;
      this.#language = result.language ?? this.#language;
      this.#providerId = result.providerId;
      return result.text;
    } catch (error) {
      if (!signal.aborted) onFault(error);
      return undefined;
    }
  }
}

/** Joins two texts of one turn. Either may be empty. */
export function joinTexts(first: string, second: string): string {
  return first && second ? `${first} ${second}` : first || second;
}
