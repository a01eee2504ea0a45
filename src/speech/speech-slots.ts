import { ApiError } from '../errors.js';

/** When a client that found every place taken may try again. */
const RETRY_AFTER_S = 2;

/** Bounds the speech requests that are served at once; those within take turns at the CPU permits. */
export class SpeechSlots {
  readonly total: number;
  #taken = 0;

  /** @param total 0 = any number. */
  constructor(total: number) {
    this.total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a place and answers what frees it; to free it twice does nothing more.
   * @throws ApiError OVERLOADED when all are taken.
   */
  take(): () => void {
    if (this.total > 0 && this.#taken >= this.total) {
      throw new ApiError('OVERLOADED', 'Too many speech requests are being served', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
    this.#taken++;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken--;
      isTaken = false;
    };
  }
}
