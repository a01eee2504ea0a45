import type { DialerRegistry } from '../calls/outbound/dialer.js';
import { TwilioDialer, type TwilioSettings, twilioClientOf } from '../channels/twilio/dialer.js';

/**
 * The carriers that can call somebody, those that are configured.
 * @param origin `http(s)://host[:port]` by which they reach this gateway
 */
export function createDialers(
  settings: TwilioSettings,
  origin: () => string | undefined,
): DialerRegistry {
  const twilio = twilioClientOf(settings);
  return { ...(twilio && { twilio: new TwilioDialer(twilio, origin) }) };
}
