/** The carriers that sell numbers. */
export const PROVIDERS = ['twilio', 'telnyx'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A number for sale, as the API shows it. Fields that the carrier omits are empty. */
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

/** Webhook URLs of a number, for carriers that store them with the number. */
export interface VoiceUrls {
  readonly voice: string;
  readonly status: string;
}

/** The numbers of one carrier. Every method throws ApiError PROVIDER_ERROR if the carrier fails. */
export interface Carrier {
  search(search: NumberSearch): Promise<readonly AvailableNumber[]>;
  /** Whether the operator's account at the carrier has the number. */
  hasNumber(phoneNumber: string): Promise<boolean>;
  /** @throws ApiError PHONE_NUMBER_IN_USE if the number is not available */
  buy(phoneNumber: string, urls: VoiceUrls): Promise<void>;
  /** Releases the number. Idempotent. */
  release(phoneNumber: string): Promise<void>;
}
