import { RoomAgentDispatch, RoomConfiguration } from '@livekit/protocol';
import { AccessToken } from 'livekit-server-sdk';
import type { LiveKitAccess } from './livekit-access.js';
import { callerIdentityOf, roomOf } from './room-names.js';

/** The name under which gateways register; LiveKit gives them no other jobs. */
export const AGENT_NAME = 'parley';

/** Who joins has this long, as with the call socket. */
const JOIN_S = 10 * 60;
const WORKER_S = 10 * 60;
/** A room that nobody has joined is closed then, s. */
const EMPTY_S = 60;
/**
 * A room that its caller has left is closed then, s. Agents do not count as present: the caller has 15 s
 * to come back.
 */
const DEPARTURE_S = 20;

/** Makes the tokens by which clients and this gateway come into LiveKit. */
export class RoomTokens {
  readonly #access: LiveKitAccess;

  constructor(access: LiveKitAccess) {
    this.#access = access;
  }

  /** Lets one client into its call's room, and our agent with it. */
  join(callId: string): Promise<string> {
    const token = new AccessToken(this.#access.apiKey, this.#access.apiSecret, {
      identity: callerIdentityOf(callId),
      ttl: JOIN_S,
    });
    token.addGrant({
      room: roomOf(callId),
      roomJoin: true,
      canPublish: true,
      canSubscribe: true,
      canPublishData: true,
      canUpdateOwnMetadata: true,
    });
    token.roomConfig = roomConfiguration({ call_id: callId });
    return token.toJwt();
  }

  /** By which LiveKit knows a worker. */
  worker(): Promise<string> {
    const token = new AccessToken(this.#access.apiKey, this.#access.apiSecret, { ttl: WORKER_S });
    token.addGrant({ agent: true });
    return token.toJwt();
  }
}

/** Has our agent come into a room, with what its job is to know. */
export function roomConfiguration(metadata: object): RoomConfiguration {
  return new RoomConfiguration({
    emptyTimeout: EMPTY_S,
    departureTimeout: DEPARTURE_S,
    agents: [new RoomAgentDispatch({ agentName: AGENT_NAME, metadata: JSON.stringify(metadata) })],
  });
}
