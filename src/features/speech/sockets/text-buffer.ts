import type { Clock, Timer } from '../../../../agents-runtime/contract/clock.js';
import { SentenceFeed } from '../../../../media/text/sentence-feed.js';
import { ApiError } from '../../../platform/http/api-error.js';
import { codePoints } from '../../../platform/http/validation/coerce.js';

/** After this time without more text, a sentence counts as complete. */
const SENTENCE_TIMEOUT_MS = 300;

export interface TextBufferOptions {
  readonly clock: Clock;
  /** ISO 639-1. */
  readonly language: string;
  /** Longest text, in code points. */
  readonly limit: number;
}

/** A text that a client writes incrementally, from its first message to its flush. */
export class TextBuffer {
  readonly feed: SentenceFeed;
  readonly #options: TextBufferOptions;
  #length = 0;
  #sentenceTimer: Timer | undefined;

  constructor(options: TextBufferOptions) {
    this.#options = options;
    this.feed = new SentenceFeed(options.language);
  }

  /** @throws ApiError TEXT_TOO_LONG */
  add(text: string): void {
    const { limit, clock } = this.#options;
    this.#length += codePoints(text);
    if (this.#length > limit) {
      throw new ApiError('TEXT_TOO_LONG', `The text has more than ${limit} characters`);
    }
    this.feed.push(text);
    this.#sentenceTimer?.cancel();
    this.#sentenceTimer = clock.after(SENTENCE_TIMEOUT_MS, () => this.feed.settle());
  }

  /** Ends the text. */
  end(): void {
    this.#sentenceTimer?.cancel();
    this.feed.end();
  }
}
