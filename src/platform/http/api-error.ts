/** Every code that an answer of the API may carry; the table of statuses is in the error handler. */
export type ApiErrorCode =
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'BAD_REQUEST'
  | 'INSUFFICIENT_CREDITS'
  | 'VOICE_NOT_FOUND'
  | 'VOICE_NOT_AVAILABLE'
  | 'DICTIONARY_NOT_FOUND'
  | 'DICTIONARY_VERSION_NOT_FOUND'
  | 'DICTIONARY_CREATION_FAILED'
  | 'DICTIONARY_FULL'
  | 'RULE_ID_IN_USE'
  | 'TEXT_TOO_LONG'
  | 'INVALID_PLS'
  | 'MODEL_LANGUAGE_MISMATCH'
  | 'VOICE_LANGUAGE_MISMATCH'
  | 'LANGUAGE_NOT_AVAILABLE'
  | 'AGENT_NOT_FOUND'
  | 'AGENT_NOT_PAUSED'
  | 'AGENT_DISABLED'
  | 'API_KEY_NOT_FOUND'
  | 'KNOWLEDGE_BASE_NOT_FOUND'
  | 'DOCUMENT_NOT_FOUND'
  | 'CALL_NOT_FOUND'
  | 'CALL_NOT_RUNNING'
  | 'CALL_RUNNING'
  | 'CALL_ENDING'
  | 'CALL_BUSY'
  | 'CALL_CANNOT'
  | 'GATEWAY_UNREACHABLE'
  | 'TRANSCRIPT_NOT_FOUND'
  | 'RECORDING_NOT_FOUND'
  | 'STORAGE_UNAVAILABLE'
  | 'WEBHOOK_NOT_FOUND'
  | 'DELIVERY_NOT_FOUND'
  | 'PUBLIC_URL_REQUIRED'
  | 'CALL_VALIDATION_FAILED'
  | 'PHONE_NUMBER_IN_USE'
  | 'PHONE_NUMBER_LIMIT'
  | 'PHONE_NUMBER_NOT_FOUND'
  | 'PHONE_NUMBER_NOT_OWNED'
  | 'PRECONDITION_FAILED'
  | 'RANGE_NOT_SATISFIABLE'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'SECRET_ALREADY_SHOWN'
  | 'PROVIDER_ERROR'
  | 'NOT_CONFIGURED'
  | 'OVERLOADED'
  | 'INTERNAL_ERROR';

export interface ApiErrorOptions extends ErrorOptions {
  /** More than the sentence says, for a person; the body's `detail`. */
  readonly detail?: string;
  /** Seconds after which another try may succeed; sent as `Retry-After`. */
  readonly retryAfterS?: number;
  /** Members that this answer has beside error, detail and code, such as `reason`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fault that the API's client is told about. Its message is a sentence for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly detail: string | null;
  readonly retryAfterS: number | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.detail = options.detail ?? null;
    this.retryAfterS = options.retryAfterS;
    this.fields = options.fields ?? {};
    this.headers = options.headers ?? {};
  }
}

/** One thing wrong with a request, in the form in which Pydantic v2 tells it. */
export interface ValidationError {
  readonly type: string;
  /** Starts with body, query, path or header; then names, and indexes as integers. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A request that does not fit its schema: answered 422 with all of its faults at once. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly faults: readonly ValidationError[];

  constructor(faults: readonly ValidationError[]) {
    super(faults[0]?.msg ?? 'The request is not valid');
    this.faults = faults;
  }
}

/** A `value_error` of one field, for what only a handler can tell (a cross-field rule, a lookup). */
export function valueError(
  loc: ValidationError['loc'],
  sentence: string,
  input: unknown,
): InvalidInput {
  const msg = `Value error, ${sentence}`;
  return new InvalidInput([{ type: 'value_error', loc, msg, input, ctx: { error: {} } }]);
}

/** The process cannot start (or go on); `message` is one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
