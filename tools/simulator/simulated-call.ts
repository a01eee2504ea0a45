import type { ProtocolViolation } from './protocol-violations.js';
import type { SimulatedLeg } from './simulated-leg.js';

/** How a call ended. */
export interface CallEnd {
  readonly by: 'caller' | 'gateway' | 'carrier';
  /** A sentence, such as `hung up`. */
  readonly how: string;
}

/** A call through a simulated carrier. */
export interface SimulatedCall {
  readonly leg: SimulatedLeg;
  /** Messages that the real carrier would have refused. */
  readonly faults: readonly ProtocolViolation[];
  /** The gateway's id of the call, if the carrier's protocol has it. */
  readonly callId: string | undefined;
  /** Never rejects. */
  readonly ended: Promise<CallEnd>;
  /**
   * Rings. Resolves when the call is answered or has ended.
   * @throws SimulateError if the gateway is not reachable or does not accept calls of this carrier
   */
  ring(): Promise<'answered' | 'ended'>;
  /** Presses keys one after the other: 0–9, * and #. */
  press(digits: string): void;
  hangUp(): void;
}

/** The keys of a phone. */
export const DIGITS = /^[0-9*#]+$/;
