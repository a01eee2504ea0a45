/** The reason why a request to a user's address failed. */
export type EgressErrorCode =
  /** Not https, or no web address. */
  | 'INSECURE_URL'
  /** The host is private, or resolves to a private address. */
  | 'BLOCKED_ADDRESS'
  | 'TIMEOUT'
  | 'UNREACHABLE'
  /** The response was cut off. */
  | 'CLOSED_EARLY'
  | 'TOO_LARGE';

/** Messages contain no address and nothing of the request or the response. */
export class EgressError extends Error {
  override readonly name = 'OutboundError';
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
