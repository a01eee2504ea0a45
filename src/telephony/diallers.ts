import type { Diallers } from '../calls/outbound-calls.js';
import { TwilioDialler, type TwilioSettings, twilioCallsOf } from './twilio/dialler.js';

/**
 * The carriers that can call somebody, those that are configured.
 * @param origin `http(s)://host[:port]` by which they reach this gateway
 */
export function openDiallers(settings: TwilioSettings, origin: () => string | undefined): Diallers {
  const twilio = twilioCallsOf(settings);
  return { ...(twilio && { twilio: new TwilioDialler(twilio, origin) }) };
}
