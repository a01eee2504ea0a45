import type { CallInput, Transport } from '../../contract/transport.js';

/** The room of a job that LiveKit has assigned. */
export interface RoomInvitation {
  readonly callId: string;
  /** `ws(s)://host[:port]` of the LiveKit server. */
  readonly url: string;
  /** Access token for an identity that contains `agent`. */
  readonly token: string;
  /** Identity of the caller. Undefined: the first participant that is not an agent. */
  readonly callerIdentity: string | undefined;
}

/** The participant whom the agent talks to. */
export interface RoomCaller {
  readonly identity: string;
  /** The participant is a telephone (LiveKit SIP). */
  readonly isPhone: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A joined room, as the transport of one call. */
export interface RoomTransport extends Transport {
  readonly caller: RoomCaller;
  /** Resolves when the caller has subscribed to the agent's track (a telephone rings until then), or the room ends. */
  readonly hasCallerSubscribed: Promise<void>;
  /** Resolves when the agent has left the room, after its last audio has been played. */
  readonly left: Promise<void>;
  /**
   * Sends DTMF digits to the telephone.
   * @returns false if the call is over
   */
  sendKeys(keys: string): boolean;
  /** Connects the transport to its call, once. If the caller has left already, the call ends at once. */
  start(call: CallInput): void;
}

export interface RoomConnector {
  /** Number of rooms that can be joined now. */
  readonly free: number;
  /**
   * Joins a room, publishes the agent's track and waits for the caller.
   * @throws CallError CLOSED without a free place; TRANSPORT_LOST if the room cannot be joined or no caller joins
   */
  join(invitation: RoomInvitation, signal: AbortSignal): Promise<RoomTransport>;
  close(): Promise<void>;
}
