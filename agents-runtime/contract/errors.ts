/** Faults of a call. Each transport maps them to its own close codes. */
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

/** The error class of the runtime layer. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: CallErrorCode;

  constructor(code: CallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The part of a call in which a fault occurred. `call`: an unhandled exception, which ends the call. */
export type CallPart =
  | 'noise-reduction'
  | 'recogniser'
  | 'turn-model'
  | 'reply'
  | 'tool'
  | 'speech'
  | 'log'
  /** The call and its other observers are not affected. */
  | 'observer'
  | 'call';

/** Reports a fault of a call. The error's message contains no words of the conversation. */
export type CallFault = (part: CallPart, error: unknown) => void;
