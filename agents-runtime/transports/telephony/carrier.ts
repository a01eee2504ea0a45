/** An event of a carrier's media stream, the same for all carriers. */
export type CarrierEvent =
  | {
      readonly type: 'open';
      readonly streamId: string;
      /** The carrier's id of the call. */
      readonly callId: string;
      /** Hz in both directions. */
      readonly sampleRate: number;
    }
  | {
      readonly type: 'audio';
      /** Mono, at the stream's rate. Valid until the next message is read. */
      readonly pcm: Int16Array;
      /** Time since the start of the stream. Undefined if the protocol has no timestamps and loses no frames. */
      readonly tsMs?: number | undefined;
    }
  | { readonly type: 'dtmf'; readonly digit: string }
  /** All audio before the mark has been played, or dropped by a clear. */
  | { readonly type: 'mark'; readonly name: string; readonly cleared: boolean }
  /** The carrier has ended the call. */
  | { readonly type: 'close'; readonly reason: string }
  /** An invalid message. After a fatal one, the stream is unusable. `message` contains no data of the call. */
  | { readonly type: 'error'; readonly message: string; readonly isFatal: boolean };

/** An action for a carrier. A link ignores an action that its carrier does not support. */
export type CarrierAction =
  /** Whole frames of 20 ms at the stream's rate. The link copies them. */
  | { readonly type: 'audio'; readonly pcm: Int16Array }
  | { readonly type: 'clear' }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'hangup' };

export interface CarrierTraits {
  /** Hz in both directions. */
  readonly sampleRate: number;
  /**
   * The carrier buffers audio, returns marks as it plays, and drops the rest on `clear`. A carrier without a
   * buffer receives each frame when it is due.
   */
  readonly buffers: boolean;
}

/** The connection of one call to its carrier. Methods are safe in any order and after the end. */
export interface CarrierLink {
  /** Bytes in the connection's send buffer. */
  readonly backlogBytes: number;
  act(action: CarrierAction): void;
  /**
   * Transfers the caller to a number or SIP address. Absent if the carrier does not support it.
   * @returns whether the carrier accepts; if not, the call continues. Never rejects.
   */
  transfer?(target: string): Promise<boolean>;
  /** Closes the connection after the data already sent. Idempotent. */
  close(): void;
}

/** Codec for a carrier with a text protocol. One instance for each stream; no I/O. */
export interface TextCodec {
  /** Parses a text frame. Never throws. @returns undefined for a frame without a relevant event */
  read(text: string): CarrierEvent | undefined;
  /** @returns undefined for an action that the protocol does not support */
  write(action: CarrierAction): string | undefined;
}
