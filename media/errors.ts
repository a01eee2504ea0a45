/** Error codes of the media layer. Callers map them to messages for users. */
export type MediaErrorCode =
  | 'ABORTED'
  | 'INVALID_INPUT'
  | 'TOO_LONG'
  | 'MODEL_MISSING'
  | 'MODEL_CORRUPT'
  | 'DOWNLOAD_FAILED'
  | 'DISK_FULL'
  | 'WORKER_DIED'
  | 'QUEUE_FULL'
  | 'INTERNAL';

/** The error class of the media layer. Subclasses add a position. `cause` is the original error. */
export class MediaError extends Error {
  override readonly name: string = 'MediaError';
  readonly code: MediaErrorCode;

  constructor(code: MediaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error to throw after an `AbortSignal` has fired. */
export function abortError(): MediaError {
  return new MediaError('ABORTED', 'The work was cancelled');
}

/** Whether an error of the file system has one of the codes, such as `ENOSPC`. */
export function isFileError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
