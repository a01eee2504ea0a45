import type { Provider } from '../../features/phone-numbers/carrier.js';

/** The carrier's status of an outbound call. `machine`: a voicemail or a fax answered. */
export type DialStatus =
  | 'initiated'
  | 'ringing'
  | 'answered'
  | 'completed'
  | 'busy'
  | 'no-answer'
  | 'failed'
  | 'canceled'
  | 'machine';

/** A call that a carrier shall make. Numbers are E.164. */
export interface DialedCall {
  readonly callId: string;
  readonly from: string;
  readonly to: string;
}

/** Makes calls through one carrier. */
export interface Dialer {
  /**
   * Resolves when the carrier has accepted, or may have accepted, the call. Its progress is reported
   * to `OutboundCalls.progress`. A request is never repeated.
   * @returns the carrier's id of the call; undefined if its response was lost
   * @throws ApiError PROVIDER_ERROR when nothing rings, PUBLIC_URL_REQUIRED
   */
  dial(call: DialedCall): Promise<string | undefined>;
  /** Stops a call from ringing. A call that has ended is no error. @throws ApiError PROVIDER_ERROR */
  stop(carrierCallId: string): Promise<void>;
}

export type DialerRegistry = Partial<Readonly<Record<Provider, Dialer>>>;
