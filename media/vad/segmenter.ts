import type { Emit } from '../audio/stage.js';
import { VAD_WINDOW } from './voice-activity.js';

/** An edge of speech, detected at `atSample`. Positions are samples at 16 kHz from the start of the stream. */
export type SpeechEdge =
  /** Speech has lasted `minSpeechMs`; it began at `startSample`. */
  | { readonly type: 'speech-started'; readonly startSample: number; readonly atSample: number }
  /** Silence has lasted 200 ms, or `minSilenceMs` if that is shorter. `speechEndSample` is the end of speech. */
  | { readonly type: 'pause'; readonly speechEndSample: number; readonly atSample: number }
  /** Speech has continued after a `pause`, before the segment ended. */
  | { readonly type: 'speech-resumed'; readonly atSample: number }
  /** Silence has lasted `minSilenceMs`: the segment is over. */
  | {
      readonly type: 'speech-stopped';
      readonly speechEndSample: number;
      readonly atSample: number;
    };

/** Settings of a `Segmenter`. */
export interface SegmenterOptions {
  /** Probability at which speech starts, 0…1. Speech continues down to `threshold − 0.15` (hysteresis). */
  readonly threshold: number;
  /** Duration of speech before `speech-started`. */
  readonly minSpeechMs: number;
  /** Duration of silence before `speech-stopped`. */
  readonly minSilenceMs: number;
}

const HYSTERESIS = 0.15;
/** Clamps the threshold so that speech can still start and end at extreme settings. */
const MIN_THRESHOLD = 0.01;
const MAX_THRESHOLD = 0.99;
/** Silence in ms after which a pause is reported, unless `minSilenceMs` is shorter. */
const PAUSE_MS = 200;
const WINDOW_MS = 32;
type Phase = 'silence' | 'rising' | 'speech';

/** Converts the speech probabilities of one stream to edges of speech. Time is counted in windows of 32 ms. */
export class Segmenter {
  readonly #options: SegmenterOptions;
  #phase: Phase = 'silence';
  #position = 0;
  #startSample = 0;
  #speechEndSample = 0;
  #speechMs = 0;
  #belowInRow = 0;
  #paused = false;

  constructor(options: SegmenterOptions) {
    this.#options = options;
  }

  /** @param probability - of speech in the next window, 0…1 */
  push(probability: number, emit: Emit<SpeechEdge>): void {
    this.#position += VAD_WINDOW;
    // After a pause the full threshold applies, so that breath and room noise do not resume a turn.
    const isGoingOn = this.#phase === 'speech' && !this.#paused;
    const threshold = Math.min(Math.max(this.#options.threshold, MIN_THRESHOLD), MAX_THRESHOLD);
    const required = isGoingOn ? Math.max(threshold - HYSTERESIS, MIN_THRESHOLD) : threshold;
    const active = probability >= required;
    if (this.#phase === 'speech') this.#inSpeech(active, emit);
    else this.#beforeSpeech(active, emit);
  }

  #beforeSpeech(active: boolean, emit: Emit<SpeechEdge>): void {
    if (active) {
      if (this.#phase === 'silence') {
        this.#phase = 'rising';
        this.#startSample = this.#position - VAD_WINDOW;
        this.#speechMs = 0;
      }
      this.#speechMs += WINDOW_MS;
      this.#belowInRow = 0;
      this.#speechEndSample = this.#position;
      if (this.#speechMs < this.#options.minSpeechMs) return;
      this.#phase = 'speech';
      this.#paused = false;
      emit({
        type: 'speech-started',
        startSample: this.#startSample,
        atSample: this.#position,
      });
      return;
    }
    // One window below the threshold does not reset the count, because consonants have lower probabilities.
    if (this.#phase === 'rising' && ++this.#belowInRow > 1) this.#phase = 'silence';
  }

  #inSpeech(active: boolean, emit: Emit<SpeechEdge>): void {
    if (active) {
      if (this.#paused) emit({ type: 'speech-resumed', atSample: this.#position });
      this.#paused = false;
      this.#speechEndSample = this.#position;
      return;
    }
    const silenceMs = ((this.#position - this.#speechEndSample) / VAD_WINDOW) * WINDOW_MS;
    const speechEndSample = this.#speechEndSample;
    if (!this.#paused && silenceMs >= Math.min(PAUSE_MS, this.#options.minSilenceMs)) {
      this.#paused = true;
      emit({ type: 'pause', speechEndSample, atSample: this.#position });
    }
    if (silenceMs >= this.#options.minSilenceMs) {
      this.#phase = 'silence';
      emit({ type: 'speech-stopped', speechEndSample, atSample: this.#position });
    }
  }
}
