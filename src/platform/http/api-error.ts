import type { ApiErrorCode } from './error-codes.js';

export interface ApiErrorOptions extends ErrorOptions {
  /** Additional explanation for a person; the body's `detail`. */
  readonly detail?: string;
  /** Seconds after which another attempt may succeed; sent as `Retry-After`. */
  readonly retryAfterS?: number;
  /** Members of the body in addition to error, detail and code, such as `reason`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that is sent to the API's client. `message` is a sentence for a person. */
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
