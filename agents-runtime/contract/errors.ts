/** What can go wrong in a call; transports map these to their own close codes. */
export type CallErrorCode =
  | 'PROTOCOL'
  | 'RECOGNITION_FAILED'
  | 'REPLY_FAILED'
  | 'EMBEDDING_FAILED'
  | 'SPEECH_FAILED'
  /** A provider gave no result in time. */
  | 'TIMED_OUT'
  | 'TRANSPORT_LOST'
  | 'CLOSED';

/** The runtime layer's one error class. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: CallErrorCode;

  constructor(code: CallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
