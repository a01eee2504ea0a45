import { ApiError } from '../../platform/http/api-error.js';

/** When a client that found every place taken may try again. */
const RETRY_AFTER_S = 2;

export interface SpeechSlotLimits {
  /** Of all accounts together; 0 = any number. */
  readonly total: number;
  /** 0 = any number. */
  readonly perAccount: number;
}

/** Who pays for speech. */
export interface SpeechCredits {
  /** Takes the price of so many characters; undefined where there are not credits enough. */
  spendOnSpeech(accountId: string, characters: number): Promise<string | undefined>;
  refund(accountId: string, credits: string): Promise<void>;
}

/** What a client is told whose account cannot pay. */
export function noCredits(): ApiError {
  return new ApiError('INSUFFICIENT_CREDITS', 'The account has not credits enough for this text');
}

/** Bounds the texts that are spoken at once; those within take turns at the CPU permits. */
export class SpeechQuota {
  readonly #limits: SpeechSlotLimits;
  readonly #taken = new Map<string, number>();

  constructor(limits: SpeechSlotLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return [...this.#taken.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Takes a place and answers what frees it; to free it twice does nothing more.
   * @throws ApiError OVERLOADED when all are taken, RATE_LIMITED when all of the account's are.
   */
  take(accountId: string): () => void {
    const { total, perAccount } = this.#limits;
    const own = this.#taken.get(accountId) ?? 0;
    if (perAccount > 0 && own >= perAccount) {
      throw new ApiError(
        'RATE_LIMITED',
        `An account has at most ${perAccount} texts spoken at once`,
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    }
    if (total > 0 && this.taken >= total) {
      throw new ApiError('OVERLOADED', 'Too many speech requests are being served', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
    this.#taken.set(accountId, own + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#free(accountId);
      isTaken = false;
    };
  }

  #free(accountId: string): void {
    const left = (this.#taken.get(accountId) ?? 1) - 1;
    if (left > 0) this.#taken.set(accountId, left);
    else this.#taken.delete(accountId);
  }
}
