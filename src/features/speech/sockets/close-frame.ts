import { ApiError } from '../../../platform/http/api-error.js';
import { CLOSE_CODES } from '../../../platform/http/close-codes.js';
import { statusOf } from '../../../platform/http/error-codes.js';
import { InvalidInput } from '../../../platform/http/validation/invalid-input.js';

/** Longest reason of a close frame, bytes. Source: RFC 6455, section 5.5. */
const MAX_REASON_LENGTH = 123;

export interface CloseFrame {
  readonly code: number;
  readonly reason: string;
}

/** The close frame for an error; undefined for internal errors. */
export function closeFrameOf(error: unknown): CloseFrame | undefined {
  if (error instanceof InvalidInput)
    return { code: CLOSE_CODES.invalidData, reason: reasonOf(error) };
  if (!(error instanceof ApiError) || error.code === 'INTERNAL_ERROR') return undefined;
  const code = statusOf(error.code) < 500 ? CLOSE_CODES.policyViolation : CLOSE_CODES.internalError;
  return { code, reason: truncate(error.message) };
}

function reasonOf({ errors }: InvalidInput): string {
  if (errors.some(({ type }) => type === 'extra_forbidden'))
    return 'extra inputs are not permitted';
  const [error] = errors;
  if (!error || error.type === 'json_invalid') return 'the message is not valid JSON';
  return truncate(`${error.loc.slice(1).join('.') || 'message'}: ${error.msg}`);
}

/** Truncates between characters, so that the reason is valid UTF-8. */
function truncate(text: string): string {
  let reason = '';
  for (const character of text) {
    if (Buffer.byteLength(reason + character) > MAX_REASON_LENGTH) break;
    reason += character;
  }
  return reason;
}
