/** Why a request to an address from outside came to nothing. */
export type EgressErrorCode =
  /** No https, or something that is no web address. */
  | 'INSECURE_URL'
  /** Its host is private, or resolves to an address that is. */
  | 'BLOCKED_ADDRESS'
  | 'TIMEOUT'
  | 'UNREACHABLE'
  /** The answer was cut off before its end. */
  | 'CLOSED_EARLY'
  | 'TOO_LARGE';

/** The messages name no address and hold nothing of what was sent or answered. */
export class EgressError extends Error {
  override readonly name = 'OutboundError';
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
