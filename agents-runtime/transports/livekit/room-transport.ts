import type { CallInput, Transport } from '../../contract/transport.js';

/** Where the agent is to go, as the assignment of a job has it. */
export interface RoomInvitation {
  readonly callId: string;
  /** `ws(s)://host[:port]` of the LiveKit server. */
  readonly url: string;
  /** Lets the agent in, under an identity that contains `agent`. */
  readonly token: string;
  /** Whom the agent serves; undefined: the first participant that is no agent. */
  readonly callerIdentity: string | undefined;
}

/** Who the agent serves. */
export interface RoomCaller {
  readonly identity: string;
  /** LiveKit's SIP service brought this participant: a telephone. */
  readonly isPhone: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A room that was joined: the wire of one call. */
export interface RoomTransport extends Transport {
  readonly caller: RoomCaller;
  /** Resolves when the caller hears the agent (a telephone rings until then), or the room is over. */
  readonly hasCallerSubscribed: Promise<void>;
  /** Resolves when the agent has left the room: after `close`, when what was said last has been heard. */
  readonly left: Promise<void>;
  /**
   * Who telephones hears the tones of these keys.
   * @returns false where the call is over.
   */
  sendKeys(keys: string): boolean;
  /** Joins wire and call, once; a caller who has left meanwhile hangs up at once. */
  start(call: CallInput): void;
}

/** Joins rooms. */
export interface Rooms {
  /** Rooms that can still be joined now. */
  readonly free: number;
  /**
   * Joins, publishes the agent's track at once and waits for the caller.
   * @throws CallError when the room cannot be joined or nobody comes; nothing is left behind then
   */
  join(invitation: RoomInvitation, signal: AbortSignal): Promise<RoomTransport>;
  close(): Promise<void>;
}
