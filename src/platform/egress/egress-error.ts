/** The reason why a request to a user's address failed. */
export type EgressErrorCode =
  /** The URL is not https, or not a web address. */
  | 'INSECURE_URL'
  /** The host is private, or resolves to a private address. */
  | 'BLOCKED_ADDRESS'
  | 'TIMEOUT'
  | 'UNREACHABLE'
  /** The connection was closed before the response was complete. */
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
