import { ApiError } from '../../platform/http/api-error.js';

/** `Retry-After` of a refused request. */
const RETRY_AFTER_S = 2;

export interface SpeechQuotaLimits {
  /** Limit for all accounts together. 0 = no limit. */
  readonly total: number;
  /** 0 = no limit. */
  readonly perAccount: number;
}

/** The credits that pay for speech. */
export interface SpeechCredits {
  /** Charges for the characters. @returns the price; undefined if the account has too few credits */
  spendOnSpeech(accountId: string, characters: number): Promise<string | undefined>;
  refund(accountId: string, credits: string): Promise<void>;
}

/** The error for an account with too few credits. */
export function insufficientCredits(): ApiError {
  return new ApiError('INSUFFICIENT_CREDITS', 'The account has too few credits for this text');
}

/** Bounds the texts that are spoken at the same time. */
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
   * Counts a text. @returns an idempotent function that releases it
   * @throws ApiError OVERLOADED at the total limit, RATE_LIMITED at the account's limit
   */
  acquire(accountId: string): () => void {
    const { total, perAccount } = this.#limits;
    const own = this.#used.get(accountId) ?? 0;
    if (perAccount > 0 && own >= perAccount) {
      throw new ApiError(
        'RATE_LIMITED',
        `The account has ${perAccount} texts in synthesis, the maximum: try again later`,
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    }
    if (total > 0 && this.used >= total) {
      throw new ApiError(
        'OVERLOADED',
        'This gateway has too many speech requests: try again later',
        {
          retryAfterS: RETRY_AFTER_S,
        },
      );
    }
    this.#used.set(accountId, own + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(accountId);
      isHeld = false;
    };
  }

  #release(accountId: string): void {
    const left = (this.#used.get(accountId) ?? 1) - 1;
    if (left > 0) this.#used.set(accountId, left);
    else this.#used.delete(accountId);
  }
}
