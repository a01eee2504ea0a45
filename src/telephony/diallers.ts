import type { Diallers } from '../calls/outbound-calls.js';
import type { Config } from '../config.js';
import { TwilioDialler, twilioCallsOf } from './twilio/dialler.js';

/**
 * The carriers that can call somebody, those that are configured.
 * @param origin `http(s)://host[:port]` by which they reach this gateway
 */
export function openDiallers(config: Config, origin: () => string | undefined): Diallers {
  const twilio = twilioCallsOf(config);
  return { ...(twilio && { twilio: new TwilioDialler(twilio, origin) }) };
}
