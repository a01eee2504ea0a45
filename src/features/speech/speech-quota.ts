import { ApiError } from '../../platform/http/api-error.js';

/** When a client that found every place taken may try again. */
const RETRY_AFTER_S = 2;

export interface SpeechQuotaLimits {
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
export function insufficientCredits(): ApiError {
  return new ApiError('INSUFFICIENT_CREDITS', 'The account has not credits enough for this text');
}

/** Bounds the texts that are spoken at once; those within take turns at the CPU permits. */
export class SpeechQuota {
  readonly #limits: SpeechQuotaLimits;
  readonly #used = new Map<string, number>();

  constructor(limits: SpeechQuotaLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return [...this.#used.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Takes a place and answers what frees it; to free it twice does nothing more.
   * @throws ApiError OVERLOADED when all are taken, RATE_LIMITED when all of the account's are.
   */
  acquire(accountId: string): () => void {
    const { total, perAccount } = this.#limits;
    const own = this.#used.get(accountId) ?? 0;
    if (perAccount > 0 && own >= perAccount) {
      throw new ApiError(
        'RATE_LIMITED',
        `An account has at most ${perAccount} texts spoken at once`,
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    }
    if (total > 0 && this.used >= total) {
      throw new ApiError('OVERLOADED', 'Too many speech requests are being served', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
    this.#used.set(accountId, own + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#release(accountId);
      isTaken = false;
    };
  }

  #release(accountId: string): void {
    const left = (this.#used.get(accountId) ?? 1) - 1;
    if (left > 0) this.#used.set(accountId, left);
    else this.#used.delete(accountId);
  }
}
