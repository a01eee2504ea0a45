/**
 * Close codes of WebSockets. Source: RFC 6455, section 7.4.1. The call socket has its own list,
 * CALL_CLOSE_CODES in `agents-runtime`, which cannot import this one.
 */
export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  invalidData: 1007,
  policyViolation: 1008,
  internalError: 1011,
} as const;
