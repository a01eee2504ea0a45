import type { DialedCall, Dialer } from '../../calls/outbound/dialer.js';
import type { Config } from '../../config/config.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { TwilioClient } from './twilio-client.js';

/** Shorter than a slot is held for a call that has not begun. */
const RING_S = 50;

export type TwilioSettings = Pick<
  Config,
  'TWILIO_ACCOUNT_SID' | 'TWILIO_AUTH_TOKEN' | 'TWILIO_BASE_URL'
>;

/** Where Twilio asks and tells about a call that it makes for us. */
function callUrls(origin: string, callId: string) {
  const about = `?call_id=${callId}`;
  const status = `${origin}/telephony/twilio/status${about}`;
  return {
    answerUrl: `${origin}/telephony/twilio/voice${about}`,
    statusUrl: status,
    machineUrl: status,
  };
}

/** Has Twilio call somebody. */
export class TwilioDialer implements Dialer {
  readonly #client: TwilioClient;
  readonly #origin: () => string | undefined;

  /** @param origin `http(s)://host[:port]` by which Twilio reaches this gateway. */
  constructor(calls: TwilioClient, origin: () => string | undefined) {
    this.#client = calls;
    this.#origin = origin;
  }

  async dial({ callId, from, to }: DialedCall): Promise<string | undefined> {
    const origin = this.#origin();
    if (origin === undefined) {
      throw new ApiError(
        'PUBLIC_URL_REQUIRED',
        'The carrier must be told where to ask about the call: set PUBLIC_URL',
      );
    }
    // Of an order whose answer was lost Twilio's callbacks tell, should it have been carried out.
    const urls = callUrls(origin, callId);
    const created = await this.#client.create({ to, from, ringS: RING_S, ...urls });
    return created.type === 'placed' ? created.callSid : undefined;
  }

  stop(callSid: string): Promise<void> {
    return this.#client.end(callSid);
  }
}
