/** The carriers that numbers can be had from. */
export const PROVIDERS = ['twilio', 'telnyx'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A number that can be had, as the contract shows it; what the carrier does not tell is empty. */
export interface AvailableNumber {
  readonly phone_number: string;
  readonly country_code: string;
  readonly locality: string;
  readonly region: string;
}

export interface NumberSearch {
  /** ISO 3166-1, two capital letters. */
  readonly countryCode: string;
  readonly areaCode?: string | undefined;
}

/** Where calls to a number are sent, for carriers that keep this with the number. */
export interface VoiceUrls {
  readonly voice: string;
  readonly status: string;
}

/** One carrier's numbers. Every method throws ApiError PROVIDER_ERROR when the carrier fails. */
export interface Carrier {
  search(search: NumberSearch): Promise<readonly AvailableNumber[]>;
  /** Whether the carrier's account holds this number. */
  hasNumber(phoneNumber: string): Promise<boolean>;
  /** @throws ApiError PHONE_NUMBER_IN_USE when the number cannot be had (any more) */
  buy(phoneNumber: string, urls: VoiceUrls): Promise<void>;
  /** Gives the number back; one that the account does not hold is given back already. */
  release(phoneNumber: string): Promise<void>;
}
