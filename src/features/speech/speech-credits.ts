import { ApiError } from '../../platform/http/api-error.js';

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
