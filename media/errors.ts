/** What can go wrong in the media layer; callers map these to their own words. */
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

/** The media layer's one error class: a closed set of codes, the cause kept. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaErrorCode;

  constructor(code: MediaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error with which work ends whose `AbortSignal` fired. */
export function abortError(): MediaError {
  return new MediaError('ABORTED', 'The work was cancelled');
}
