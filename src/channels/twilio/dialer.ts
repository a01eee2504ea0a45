import type { DialedCall, Dialer } from '../../calls/outbound/dialer.js';
import type { Config } from '../../config/config.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { TwilioClient } from './twilio-client.js';

/** Shorter than the time for which a slot is reserved. */
const RING_S = 50;

export type TwilioSettings = Pick<
  Config,
  'TWILIO_ACCOUNT_SID' | 'TWILIO_AUTH_TOKEN' | 'TWILIO_BASE_URL'
>;

/** The URLs that Twilio requests for an outbound call. */
function callUrls(origin: string, callId: string) {
  const about = `?call_id=${callId}`;
  const status = `${origin}/telephony/twilio/status${about}`;
  return {
    answerUrl: `${origin}/telephony/twilio/voice${about}`,
    statusUrl: status,
    machineUrl: status,
  };
}

/** Makes calls through Twilio. */
export class TwilioDialer implements Dialer {
  readonly #client: TwilioClient;
  readonly #origin: () => string | undefined;

  /** @param origin - `http(s)://host[:port]` at which Twilio reaches this gateway */
  constructor(calls: TwilioClient, origin: () => string | undefined) {
    this.#client = calls;
    this.#origin = origin;
  }

  async dial({ callId, from, to }: DialedCall): Promise<string | undefined> {
    const origin = this.#origin();
    if (origin === undefined) {
      throw new ApiError(
        'PUBLIC_URL_REQUIRED',
        'Twilio needs a URL of this gateway for the call: set PUBLIC_URL',
      );
    }
    // If the response is lost, Twilio's callbacks report whether the call was made.
    const urls = callUrls(origin, callId);
    const created = await this.#client.create({ to, from, ringS: RING_S, ...urls });
    return created.type === 'placed' ? created.callSid : undefined;
  }

  stop(callSid: string): Promise<void> {
    return this.#client.end(callSid);
  }
}
