import type { Config } from '../../config/config.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { Carrier, Provider } from './carrier.js';
import { TelnyxCarrier } from './telnyx-carrier.js';
import { TwilioCarrier } from './twilio-carrier.js';

export type CarrierSettings = Pick<
  Config,
  | 'TWILIO_ACCOUNT_SID'
  | 'TWILIO_AUTH_TOKEN'
  | 'TWILIO_BASE_URL'
  | 'TELNYX_API_KEY'
  | 'TELNYX_BASE_URL'
>;

/** The required settings of each carrier. */
const REQUIRED_SETTINGS = {
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
  telnyx: ['TELNYX_API_KEY'],
} as const;
const NAMES: Readonly<Record<Provider, string>> = { twilio: 'Twilio', telnyx: 'Telnyx' };

/** The carriers by provider name. */
export class CarrierRegistry {
  readonly #settings: CarrierSettings;

  constructor(settings: CarrierSettings) {
    this.#settings = settings;
  }

  /** @throws ApiError NOT_CONFIGURED with the missing settings */
  get(provider: Provider): Carrier {
    this.requireConfigured(provider);
    const settings = this.#settings;
    if (provider === 'telnyx') {
      return new TelnyxCarrier({
        apiKey: settings.TELNYX_API_KEY ?? '',
        baseUrl: settings.TELNYX_BASE_URL,
      });
    }
    return new TwilioCarrier({
      accountSid: settings.TWILIO_ACCOUNT_SID ?? '',
      authToken: settings.TWILIO_AUTH_TOKEN ?? '',
      baseUrl: settings.TWILIO_BASE_URL,
    });
  }

  /** @throws ApiError NOT_CONFIGURED with the missing settings */
  requireConfigured(provider: Provider): void {
    const missing = REQUIRED_SETTINGS[provider].filter(
      (name) => this.#settings[name] === undefined,
    );
    if (missing.length === 0) return;
    const settings = missing.join(' and ');
    throw new ApiError('NOT_CONFIGURED', `${NAMES[provider]} is not configured: set ${settings}`, {
      detail: `Missing settings: ${missing.join(', ')}`,
    });
  }
}
