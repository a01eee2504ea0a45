import type { TextStreamReader } from '@livekit/rtc-node';
import type { Clock } from '../../../contract/clock.js';
import { TextRateLimit } from '../../text-rate-limit.js';

/** Characters of one text. */
const MAX_TEXT_LENGTH = 2_000;

/** Reads the texts that the caller types, within the limits of length and rate. */
export class ChatInput {
  readonly #rateLimit: TextRateLimit;

  constructor(clock: Clock) {
    this.#rateLimit = new TextRateLimit(clock);
  }

  /** @returns undefined for a text that is empty, too long or beyond the rate limit */
  async read(stream: TextStreamReader): Promise<string | undefined> {
    let text = '';
    for await (const part of stream) {
      text += part;
      if (text.length > MAX_TEXT_LENGTH) return undefined;
    }
    return this.#rateLimit.accept() && text.trim() !== '' ? text.trim() : undefined;
  }
}
