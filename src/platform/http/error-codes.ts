/** One error code of the API. */
interface ErrorCodeEntry {
  /** Status of an HTTP response with this code. */
  readonly status: number;
  /** Cause, for the reference documentation. */
  readonly description: string;
}

/** All error codes of the API, ordered by status. A new code is one entry here. */
export const ERROR_CODES = {
  BAD_REQUEST: { status: 400, description: 'The form, the upgrade or the event cannot be read.' },
  TEXT_TOO_LONG: {
    status: 400,
    description: 'The text is longer than `TEXT_LIMIT`, or too many texts wait to be spoken.',
  },
  INVALID_PLS: { status: 400, description: 'The pronunciation lexicon is not valid PLS.' },
  MODEL_LANGUAGE_MISMATCH: {
    status: 400,
    description: 'The speech model does not support the language.',
  },
  VOICE_LANGUAGE_MISMATCH: { status: 400, description: 'The voice does not speak the language.' },
  UNAUTHORIZED: {
    status: 401,
    description: 'The API key, JWT, call token or signed link is missing or not valid.',
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    description: 'The account has fewer credits than the request costs.',
  },
  FORBIDDEN: {
    status: 403,
    description: 'The key lacks a scope, a signature is wrong, or the account reached a limit.',
  },
  CALL_VALIDATION_FAILED: {
    status: 403,
    description: 'The call is not allowed. The member `reason` names the rule.',
  },
  PHONE_NUMBER_LIMIT: {
    status: 403,
    description: 'The account has `PHONE_NUMBER_LIMIT` phone numbers.',
  },
  NOT_FOUND: { status: 404, description: 'The path does not exist.' },
  VOICE_NOT_FOUND: { status: 404, description: 'The voice does not exist.' },
  VOICE_NOT_AVAILABLE: {
    status: 404,
    description: 'The voice exists, but is not installed or not ready.',
  },
  DICTIONARY_NOT_FOUND: { status: 404, description: 'The dictionary does not exist.' },
  DICTIONARY_VERSION_NOT_FOUND: {
    status: 404,
    description: 'The dictionary does not have this version.',
  },
  AGENT_NOT_FOUND: { status: 404, description: 'The agent does not exist.' },
  API_KEY_NOT_FOUND: { status: 404, description: 'The API key does not exist.' },
  KNOWLEDGE_BASE_NOT_FOUND: { status: 404, description: 'The knowledge base does not exist.' },
  DOCUMENT_NOT_FOUND: { status: 404, description: 'The knowledge base lacks this document.' },
  CALL_NOT_FOUND: { status: 404, description: 'The call does not exist.' },
  TRANSCRIPT_NOT_FOUND: { status: 404, description: 'The call has no transcript.' },
  RECORDING_NOT_FOUND: { status: 404, description: 'The call has no recording.' },
  WEBHOOK_NOT_FOUND: { status: 404, description: 'The agent has no webhook of this kind.' },
  DELIVERY_NOT_FOUND: { status: 404, description: 'The agent has no such webhook delivery.' },
  PHONE_NUMBER_NOT_FOUND: { status: 404, description: 'The account lacks this phone number.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    description: 'The path exists with other methods. `Allow` lists them.',
  },
  LANGUAGE_NOT_AVAILABLE: {
    status: 409,
    description: 'No installed voice or STT model supports the language.',
  },
  AGENT_NOT_PAUSED: { status: 409, description: 'Only a paused agent can be disabled.' },
  AGENT_DISABLED: { status: 409, description: 'The agent is disabled, which is final.' },
  CALL_NOT_RUNNING: { status: 409, description: 'The call has not started or has ended.' },
  CALL_RUNNING: { status: 409, description: 'A running call cannot be deleted.' },
  CALL_ENDING: { status: 409, description: 'The call is about to end.' },
  CALL_BUSY: { status: 409, description: 'Five texts of `say` already wait.' },
  CALL_CANNOT: { status: 409, description: 'The transport of the call lacks this operation.' },
  PHONE_NUMBER_IN_USE: {
    status: 409,
    description: 'The number belongs to another account, or another deployed agent has it.',
  },
  PHONE_NUMBER_NOT_OWNED: {
    status: 409,
    description: 'The phone number does not belong to the account.',
  },
  DICTIONARY_FULL: { status: 409, description: 'The dictionary has `DICTIONARY_RULES` rules.' },
  RULE_ID_IN_USE: { status: 409, description: 'The dictionary has a rule with this id.' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    description: 'The first request with this `Idempotency-Key` still runs.',
  },
  NOT_CONFIGURED: { status: 409, description: 'The request needs a setting that is not set.' },
  SECRET_ALREADY_SHOWN: {
    status: 409,
    description: 'A repeated request created a key, and a key is shown only once.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    description: '`If-Match` names an older version than the current one.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, description: 'The body or the file is too large.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    description: 'The body or the file has a type that is not supported.',
  },
  RANGE_NOT_SATISFIABLE: { status: 416, description: '`Range` starts after the end of the file.' },
  RATE_LIMITED: {
    status: 429,
    description: 'A rate or concurrency limit is reached. See `Retry-After`.',
  },
  INTERNAL_ERROR: { status: 500, description: 'A fault of the gateway. The log has the details.' },
  PROVIDER_ERROR: {
    status: 502,
    description: 'A carrier or another service rejected the request or is unreachable.',
  },
  DICTIONARY_CREATION_FAILED: { status: 502, description: 'The dictionary was not stored.' },
  OVERLOADED: {
    status: 503,
    description: 'The gateway is overloaded, stopping or without its database. See `Retry-After`.',
  },
  STORAGE_UNAVAILABLE: { status: 503, description: 'The storage of recordings is unreachable.' },
  GATEWAY_UNREACHABLE: {
    status: 503,
    description: 'The gateway that runs the call is unreachable.',
  },
  PUBLIC_URL_REQUIRED: { status: 503, description: 'The request needs the setting `PUBLIC_URL`.' },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;

/** The `code` of an error response. */
export type ApiErrorCode = keyof typeof ERROR_CODES;

/** The HTTP status of an error code. */
export function statusOf(code: ApiErrorCode): number {
  return ERROR_CODES[code].status;
}
