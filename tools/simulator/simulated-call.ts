import type { ProtocolViolation } from './protocol-violations.js';
import type { CarrierLine } from './simulated-leg.js';

/** How a call ended. */
export interface CallEnd {
  readonly by: 'caller' | 'gateway' | 'carrier';
  /** A sentence, such as `hung up`. */
  readonly how: string;
}

/** A call through a simulated carrier, whichever wire it is on. */
export interface SimulatedCall {
  readonly line: CarrierLine;
  /** What the real carrier would have refused. */
  readonly faults: readonly ProtocolViolation[];
  /** The gateway's name for the call, where the wire tells it. */
  readonly callId: string | undefined;
  /** Never rejects. */
  readonly ended: Promise<CallEnd>;
  /**
   * Rings; resolves when both sides can speak, or when the call is over before that.
   * @throws SimulateError where there is no gateway, or none that takes calls from this carrier
   */
  ring(): Promise<'answered' | 'ended'>;
  /** Keys of the phone, one after the other: 0–9, * and #. */
  press(digits: string): void;
  hangUp(): void;
}

/** The keys of a phone. */
export const DIGITS = /^[0-9*#]+$/;
