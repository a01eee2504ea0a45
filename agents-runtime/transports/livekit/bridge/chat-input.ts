import type { TextStreamReader } from '@livekit/rtc-node';
import type { Clock } from '../../../contract/clock.js';

/** Characters of one text. */
const MAX_TEXT_LENGTH = 2_000;
/** Texts in so many ms: each makes a reply. */
const MAX_TEXTS = 20;
const TEXTS_MS = 10_000;

/** Reads what the caller types, and no more of it than a call takes. */
export class ChatInput {
  readonly #clock: Clock;
  #times: readonly number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined for a text that is empty, too long or one too many. */
  async read(stream: TextStreamReader): Promise<string | undefined> {
    let text = '';
    for await (const part of stream) {
      text += part;
      if (text.length > MAX_TEXT_LENGTH) return undefined;
    }
    const now = this.#clock.now();
    this.#times = [...this.#times.filter((at) => now - at < TEXTS_MS), now].slice(-MAX_TEXTS - 1);
    const isAllowed = this.#times.length <= MAX_TEXTS;
    return isAllowed && text.trim() !== '' ? text.trim() : undefined;
  }
}
