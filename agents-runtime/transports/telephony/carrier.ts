/** What any carrier's wire says, in the words that all of them share. Source: the telephony notes, §0. */
export type CarrierEvent =
  | {
      readonly type: 'open';
      readonly streamId: string;
      /** The carrier's own name of the call. */
      readonly callId: string;
      readonly from?: string;
      readonly to?: string;
      /** What we gave the carrier to bring along. */
      readonly custom: Readonly<Record<string, string>>;
      /** Hz of what comes and goes. */
      readonly sampleRate: number;
    }
  | {
      readonly type: 'audio';
      /** Mono, at the wire's rate; valid until the next message is read. */
      readonly pcm: Int16Array;
      /** Since the stream began; undefined where the wire does not say, and loses nothing. */
      readonly tsMs?: number | undefined;
      readonly seq?: number | undefined;
    }
  | { readonly type: 'dtmf'; readonly digit: string; readonly durationMs?: number }
  /** All audio before the mark is over: played, or dropped by a clear. */
  | { readonly type: 'mark'; readonly name: string; readonly cleared: boolean }
  /** The carrier's side has hung up. */
  | { readonly type: 'close'; readonly reason: string }
  /** A message that cannot be used; after a fatal one nothing will be. `message` holds none of it. */
  | { readonly type: 'error'; readonly message: string; readonly isFatal: boolean };

/** What any carrier can be told; what one cannot do, its link leaves undone. */
export type CarrierAction =
  /** Whole frames of 20 ms at the wire's rate, which are copied. */
  | { readonly type: 'audio'; readonly pcm: Int16Array }
  | { readonly type: 'clear' }
  | { readonly type: 'mark'; readonly name: string }
  /** Keys by the carrier's own means. */
  | { readonly type: 'dtmf'; readonly digits: string }
  | { readonly type: 'hangup' };

/** What a carrier's wire is like. */
export interface CarrierTraits {
  /** Hz of what comes and goes. */
  readonly sampleRate: number;
  /**
   * It keeps what it is sent and plays it in order, tells by marks how far it got, and forgets the
   * rest on `clear`. One that does not is sent each frame when it is to be heard.
   */
  readonly buffers: boolean;
}

/** One call's way to its carrier: actions become bytes. Safe in any order and after its end. */
export interface CarrierLink {
  /** Bytes that wait in the wire's own buffers. */
  readonly backlogBytes: number;
  act(action: CarrierAction): void;
  /**
   * Asks the carrier to give the caller to a number or SIP address. Absent where it cannot.
   * @returns whether it does, and takes the call from us; if not, the call goes on. Never rejects.
   */
  transfer?(target: string): Promise<boolean>;
  /** Closes the wire after what was sent. Idempotent. */
  close(): void;
}

/** A carrier whose wire is text: pure, a codec a stream. */
export interface TextCodec {
  /** Reads a text frame and throws at none. @returns undefined for one that says nothing of use. */
  read(text: string): CarrierEvent | undefined;
  /** @returns undefined for what the wire has no message for. */
  write(action: CarrierAction): string | undefined;
}
